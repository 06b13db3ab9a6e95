// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.time.ZoneId
import java.util.Locale

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.LegacyDateFormats.FAST_DATE_FORMAT
import org.apache.spark.sql.catalyst.util.TimestampFormatter
import org.apache.spark.sql.types.{StructType, TimestampType}

import stoplog.format.bulk.ValueCheck

/** Rejects rows with times that CSV and JSON cut under `spark.sql.legacy.timeParserPolicy=LEGACY`.
  *
  * Spark's formatters of this policy have other patterns. Their default cuts microseconds, and the seconds of
  * old offsets. More digits are no remedy, because readers of this policy read all digits as milliseconds.
  */
private[format] object LegacyTimes {

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without times.
    *
    * @param pattern of times in the files; the zone and the locale are those of the writer
    */
  def checkOf(
      format: String,
      schema: StructType,
      pattern: String,
      zone: ZoneId,
      locale: Locale
  ): Option[InternalRow => Unit] = {
    def formatter(isParsing: Boolean) =
      TimestampFormatter(pattern, zone, locale, FAST_DATE_FORMAT, isParsing)
    lazy val writer = formatter(isParsing = false)
    lazy val reader = formatter(isParsing = true)
    ValueCheck.of(format, schema, Reason) { case TimestampType =>
      (values, i) => reader.parse(writer.format(values.getLong(i))) != values.getLong(i)
    }
  }

  private final val Reason =
    "a time with microseconds or with an old offset, which is cut under spark.sql.legacy.timeParserPolicy = " +
      "LEGACY without timestampFormat"
}
