// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.systems

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path => HadoopPath}
import org.apache.hadoop.util.VersionInfo

import stoplog.error.Errors
import stoplog.storage.s3.S3Library

/** Which file system of Hadoop's a path leads to. */
private[stoplog] object HadoopSystems {

  /** Refuses a path whose file system's class, or what that needs, is missing.
    *
    * Errors: `STOPLOG_STORE_UNSUPPORTED`, `STOPLOG_HADOOP_AWS`.
    */
  def refuseUnknown(path: String, scheme: String, configuration: Configuration): Unit = {
    if (scheme == "s3a") S3Library.check(path, configuration.getClassLoader, VersionInfo.getVersion)
    Try(FileSystem.getFileSystemClass(scheme, configuration)).failed.foreach { _ =>
      throw Errors.storeUnsupported(path, scheme)
    }
  }

  /** The file system and path behind the mounts of a path: `viewfs` has not all capabilities of what is mounted. An
    * object store has no mounts, and a user who writes there may have no right to look at what lies above the path.
    */
  def resolved(system: FileSystem, path: HadoopPath): (FileSystem, HadoopPath) = {
    val qualified = system.makeQualified(path)
    if (system.getScheme == "s3a") (system, qualified) else throughMounts(system, qualified)
  }

  private def throughMounts(system: FileSystem, qualified: HadoopPath): (FileSystem, HadoopPath) = {
    val there = Iterator.iterate(qualified)(_.getParent).takeWhile(_ != null).find(system.exists)
    val root  = there.fold(qualified) { ancestor =>
      val below = qualified.toUri.getPath.drop(ancestor.toUri.getPath.length).stripPrefix("/")
      val real  = system.resolvePath(ancestor)
      if (below.isEmpty) real
      else {
        val uri = real.toUri
        new HadoopPath(uri.getScheme, uri.getAuthority, s"${uri.getPath.stripSuffix("/")}/$below")
      }
    }
    (root.getFileSystem(system.getConf), root)
  }
}
