// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors

/** S3A's own way to tidy up a bucket, which would take open parts with it. */
object S3Purge {

  /** To be asked before Hadoop opens the bucket, which is when it purges. Error: `STOPLOG_UPLOAD_PURGE`. */
  def refuse(path: Path, configuration: Configuration): Unit = {
    val ofBucket = s"fs.s3a.bucket.${path.toUri.getHost}.multipart.purge"
    val key      = if (configuration.get(ofBucket) == null) "fs.s3a.multipart.purge" else ofBucket
    if (configuration.getBoolean(key, false)) throw Errors.uploadPurge(path.toString, key)
  }
}
