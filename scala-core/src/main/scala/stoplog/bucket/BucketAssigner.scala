// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Assigns each row to a bucket: a directory under the sink's path.
  *
  * Made on the driver, sent to every task by Java serialization, opened there once, used by one thread. The
  * answer is a relative path with `/` between its segments, or the empty string for the base path itself. An
  * answer that would leave the path or be hidden from readers is refused when it is first seen (see
  * [[BucketId]]).
  */
trait BucketAssigner extends Serializable {

  /** Prepares the assigner; each task calls it once, with the schema of the rows that [[bucket]] gets. */
  def open(schema: StructType): Unit = ()

  /** The bucket of this row. The row object is reused by Spark and must not be kept. */
  def bucket(row: InternalRow, context: BucketContext): String
}

/** The context of a row for an assigner. Reused between rows: do not keep it. */
trait BucketContext {

  /** The task's clock, in milliseconds since 1970-01-01T00:00:00Z. */
  def processingTimeMillis: Long

  /** The row's time in the column that the option `eventTimeColumn` names, or else the query's `withWatermark`, in
    * milliseconds since 1970-01-01T00:00:00Z. `None` if it is null, and where neither names one.
    */
  def eventTimeMillis: Option[Long] = None

  /** The watermark of the micro-batch, in milliseconds since 1970-01-01T00:00:00Z: up to when the query takes its rows to
    * be complete. It is the same for all rows of a micro-batch and each time that is repeated, unlike Flink's, which moves
    * between rows. `None` without `withWatermark`, in a batch query, and until Spark has the first.
    */
  def watermarkMillis: Option[Long] = None
}

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
