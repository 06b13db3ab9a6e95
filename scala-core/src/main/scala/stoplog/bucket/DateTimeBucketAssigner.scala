// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{ZoneId, ZoneOffset}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import stoplog.error.Errors

/** Buckets by time: one for each hour unless the pattern says otherwise.
  *
  * By the time of processing or, with a column, by the time that the row itself carries. Rows whose time is
  * null go to [[BucketId.OfNull]]. A pattern with `/` in it makes nested directories.
  *
  * {{{
  * new DateTimeBucketAssigner()                                             // 2026-01-31--23, UTC
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
    names = new DateTimeText(parsed, if (time.hasZone) zone else ZoneOffset.UTC)
  }

  override def bucket(row: InternalRow, context: BucketContext): String =
    if (time.isMissing(row)) BucketId.OfNull else names.at(time.micros(row, context))

  override def toString: String = s"dateTime($pattern, $zone${column.fold("")(", " + _)})"
}

object DateTimeBucketAssigner {

  /** A bucket for each hour. */
  val DefaultPattern: String = "yyyy-MM-dd--HH"
}
