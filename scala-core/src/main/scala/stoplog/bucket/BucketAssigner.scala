// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** Assigns each row to a bucket: a directory under the sink's path.
  *
  * The driver creates the assigner and sends a copy to every task by Java serialization. The task opens the
  * copy and uses it in a single thread. The bucket is a relative path with `/` between segments, or the empty
  * string for the sink's path itself. The sink rejects a bucket outside of the path or hidden from readers
  * when such a bucket first occurs (see [[BucketId]]).
  */
trait BucketAssigner extends Serializable {

  /** Prepares the assigner. Each task calls this method once, with the schema of the rows for [[bucket]]. */
  def open(schema: StructType): Unit = ()

  /** Returns the bucket of the row. Spark reuses the row object, so implementations must not keep it. */
  def bucket(row: InternalRow, context: BucketContext): String
}

/** The context of a row for an assigner. The sink reuses the object for all rows; do not keep a reference. */
trait BucketContext {

  /** The task's clock, in milliseconds since 1970-01-01T00:00:00Z. */
  def processingTimeMillis: Long

  /** The row's event time, in milliseconds since 1970-01-01T00:00:00Z. The option `eventTimeColumn` names the
    * column; without the option, the query's `withWatermark` does. `None` if the value is null or if neither
    * names a column.
    */
  def eventTimeMillis: Option[Long] = None

  /** The watermark of the micro-batch, in milliseconds since 1970-01-01T00:00:00Z: the time up to which the
    * query considers its rows to be complete. All rows of a micro-batch see the same value, also when Spark
    * repeats the micro-batch. Flink's watermark, in contrast, advances between rows. `None` without
    * `withWatermark`, in a batch query, and until Spark has computed the first watermark.
    */
  def watermarkMillis: Option[Long] = None
}

/** A [[BucketAssigner]] whose buckets end at a known time, so that the sink can detect complete buckets. Used
  * by `bucketComplete` = `watermark` and `bucketComplete` = `processingTime`.
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

  /** Returns the end of the bucket, in milliseconds since 1970-01-01T00:00:00Z. All rows of the bucket are
    * earlier. Returns `None` for a bucket without an end; such a bucket is never complete. The method must be
    * pure. The driver may call this method without calling `open` first.
    */
  def bucketEndMillis(bucket: String): Option[Long]
}
