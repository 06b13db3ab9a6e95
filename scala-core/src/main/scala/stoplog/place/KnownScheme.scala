// SPDX-License-Identifier: Apache-2.0
package stoplog.place

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.util.VersionInfo

import stoplog.error.Errors
import stoplog.store.s3.S3Library

/** Whether Hadoop has the class of a path's file system, and what that needs. */
private[stoplog] object KnownScheme {

  /** Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`. */
  def check(path: String, scheme: String, configuration: Configuration): Unit = {
    if (scheme == "s3a") S3Library.check(path, configuration.getClassLoader, VersionInfo.getVersion)
    Try(FileSystem.getFileSystemClass(scheme, configuration)).failed.foreach { _ =>
      throw Errors.storeUnsupported(path, scheme)
    }
  }
}
