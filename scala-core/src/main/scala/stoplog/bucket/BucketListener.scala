// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

/** Hears of each complete bucket, once its marker can be seen: to add a partition to a catalog, or to start a job that
  * waits for the bucket.
  *
  * Called on the driver, one bucket at a time, with the query's session as the active one. It may be called again for
  * the same bucket and version, when a process died in between, and must then change nothing: so it has to be
  * idempotent. The query goes on when it returns; if it throws, the epoch fails, and the next try calls it again.
  *
  * {{{
  * final class AddPartition extends BucketListener {
  *   override def onComplete(bucket: CompleteBucket): Unit = {
  *     val values = bucket.bucket.split('/').map(_.replaceFirst("=(.*)", "='$1'")).mkString(", ")
  *     SparkSession.active.sql(
  *       s"ALTER TABLE events ADD IF NOT EXISTS PARTITION ($values) LOCATION '${bucket.location}'"
  *     )
  *   }
  * }
  * }}}
  */
trait BucketListener extends Serializable {
  def onComplete(bucket: CompleteBucket): Unit
}

/** A bucket that is complete.
  *
  * @param path    the sink's path, as it was given
  * @param bucket  under that path; empty for the path itself
  * @param version 1, and one more each time that rows came late
  * @param marker  the name of its marker, in the bucket
  * @param files   that the sink has put into the bucket, as `rows` and `bytes`
  */
final case class CompleteBucket(
    path: String,
    bucket: String,
    version: Int,
    marker: String,
    files: Long,
    rows: Long,
    bytes: Long
) {

  /** The bucket's directory. */
  def location: String = if (bucket.isEmpty) path else s"${path.stripSuffix("/")}/$bucket"
}
