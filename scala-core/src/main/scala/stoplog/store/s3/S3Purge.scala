package stoplog.store.s3

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.error.Errors

/** S3A's own way to tidy up a bucket, which would take open parts with it. */
object S3Purge {

  /** To be asked before Hadoop opens the bucket, which is when it purges. Error: `STOPLOG_UPLOAD_PURGE`. */
  def refuse(path: Path, configuration: Configuration): Unit =
    Seq(s"fs.s3a.bucket.${path.toUri.getHost}.multipart.purge", "fs.s3a.multipart.purge")
      .find(key => configuration.get(key) != null) // what is set for the bucket goes first
      .filter(configuration.getBoolean(_, false))
      .foreach(key => throw Errors.uploadPurge(path.toString, key))
}
