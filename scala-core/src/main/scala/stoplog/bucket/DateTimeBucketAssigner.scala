// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{Instant, ZoneId, ZoneOffset}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import stoplog.error.Errors

/** Buckets by time: one for each hour unless the pattern says otherwise.
  *
  * By the time of processing or, with a column, by the time that the row itself carries. Rows whose time is
  * null go to [[BucketId.OfNull]], or, where every level of the pattern is `name=value`, to the directories that
  * stand for null in Hive's layout. A pattern with `/` in it makes nested directories.
  *
  * {{{
  * new DateTimeBucketAssigner()                                             // dt=2026-01-31/hour=23, UTC
  * new DateTimeBucketAssigner("yyyy/MM/dd", ZoneId.of("Europe/Berlin"))     // 2026/02/01
  * new DateTimeBucketAssigner("'day='yyyy-MM-dd", column = Some("at"))      // day=2026-01-31
  * }}}
  *
  * @param pattern
  *   of `java.time.format.DateTimeFormatter`, in English; each bucket's name is what it gives
  * @param zone
  *   whose calendar and clock the pattern shows. A `TIMESTAMP_NTZ` or `DATE` column has no zone: its values
  *   are shown as they are, whatever the zone
  * @param column
  *   a top-level column of type `TIMESTAMP`, `TIMESTAMP_NTZ` or `DATE`; none for the time of processing
  * @throws stoplog.error.StoplogArgumentException
  *   `STOPLOG_BUCKET_FORMAT` if the pattern cannot name a bucket
  */
final class DateTimeBucketAssigner(
    pattern: String = DateTimeBucketAssigner.DefaultPattern,
    zone: ZoneId = ZoneOffset.UTC,
    column: Option[String] = None
) extends BucketAssigner {

  DateTimePattern.parse(pattern)

  @transient private var time: RowTime       = _
  @transient private var names: DateTimeText = _
  @transient private var ofNull: String      = _

  def this() = this(DateTimeBucketAssigner.DefaultPattern)

  /** @throws stoplog.error.StoplogArgumentException
    *   `STOPLOG_BUCKET_COLUMN` if the column cannot say when a row was, `STOPLOG_BUCKET_FORMAT` if the
    *   pattern shows a zone that it lacks
    */
  override def open(schema: StructType): Unit = {
    val parsed = DateTimePattern.parse(pattern)
    time = RowTime.of(column, schema)
    if (!time.hasZone && parsed.showsZone)
      throw Errors.bucketFormat(pattern, s"it shows a time zone, and the column ${column.mkString} has none")
    ofNull = parsed.ofNull
    names = new DateTimeText(parsed, if (time.hasZone) zone else ZoneOffset.UTC)
  }

  override def bucket(row: InternalRow, context: BucketContext): String =
    if (time.isMissing(row)) ofNull else names.at(time.micros(row, context))

  /** The bucket of rows of this time. Asked before tasks open the assigner, too. */
  private[stoplog] def bucketAt(millis: Long): String =
    DateTimePattern.parse(pattern).formatter.format(Instant.ofEpochMilli(millis).atZone(zone))

  override def toString: String = s"dateTime($pattern, $zone${column.fold("")(", " + _)})"
}

object DateTimeBucketAssigner {

  /** A bucket for each hour, which Spark, pyarrow, DuckDB and pandas read without options, as columns `dt` and `hour`. */
  val DefaultPattern: String = "'dt='yyyy-MM-dd'/hour='HH"

  /** The default of logs that record a zone for their buckets and no pattern; and Flink's. */
  private[stoplog] val FormerPattern: String = "yyyy-MM-dd--HH"
}
