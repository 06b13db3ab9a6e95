// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

/** Receives each complete bucket once the bucket's marker is visible. Listeners may add a partition to a
  * catalog, or start a job that waits for the bucket.
  *
  * The driver calls the listener for one bucket at a time, with the query's session as the active session. If
  * a process dies before the epoch is finished, the driver calls the listener again for the same bucket and
  * version. Implementations MUST therefore be idempotent. The query resumes when the call returns. If the
  * call throws, the epoch fails, and the next attempt repeats the call.
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

/** A complete bucket.
  *
  * @param path    the sink's path, as specified by the user
  * @param bucket  the path of the bucket under `path`; empty for `path` itself
  * @param version 1 for the first marker, incremented each time late rows arrive
  * @param marker  the name of the bucket's marker file, in the bucket
  * @param files   the number of files written into the bucket by the sink; `rows` and `bytes` count their
  *                content
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

  /** Returns the bucket's directory. */
  def location: String = if (bucket.isEmpty) path else s"${path.stripSuffix("/")}/$bucket"
}
