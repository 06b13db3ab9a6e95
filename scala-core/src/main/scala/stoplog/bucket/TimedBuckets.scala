// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

/** A [[BucketAssigner]] whose buckets have an end in time, so that it can be known when one is complete: what the
  * options `bucketComplete` = `watermark` and `processingTime` go by.
  *
  * {{{
  * final class ByDay extends BucketAssigner with TimedBuckets {
  *   override def bucket(row: InternalRow, context: BucketContext): String = …     // "2026-01-31"
  *   override def bucketEndMillis(bucket: String): Option[Long] =
  *     Try(LocalDate.parse(bucket)).toOption.map(_.plusDays(1).atStartOfDay(UTC).toInstant.toEpochMilli)
  * }
  * }}}
  */
trait TimedBuckets {

  /** The end of the bucket, in milliseconds since 1970-01-01T00:00:00Z: all of its rows are from before. `None` for a
    * bucket that has no end, which is then never complete. Pure; asked on the driver, of an assigner that may not have
    * been opened.
    */
  def bucketEndMillis(bucket: String): Option[Long]
}
