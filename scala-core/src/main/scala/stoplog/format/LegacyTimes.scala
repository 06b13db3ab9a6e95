// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.time.ZoneId
import java.util.Locale

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.LegacyDateFormats.FAST_DATE_FORMAT
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, TimestampFormatter}
import org.apache.spark.sql.types.{StructType, TimestampType}

import stoplog.format.bulk.ValueCheck

/** Rejects rows with times that CSV and JSON cut under `spark.sql.legacy.timeParserPolicy=LEGACY`.
  *
  * Spark's formatters of this policy have other patterns. Their default cuts microseconds, and the seconds of
  * old offsets. More digits are no remedy, because readers of this policy read all digits as milliseconds.
  *
  * @param pattern of times in the files; the zone and the locale are those of the writer
  */
private[stoplog] final class LegacyTimes private (pattern: String, zone: ZoneId, locale: Locale)
    extends Serializable {

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without times. */
  def checkOf(format: String, schema: StructType): Option[InternalRow => Unit] = {
    lazy val writer = formatter(isParsing = false)
    lazy val reader = formatter(isParsing = true)
    ValueCheck.of(format, schema, LegacyTimes.Reason) { case TimestampType =>
      (values, i) => reader.parse(writer.format(values.getLong(i))) != values.getLong(i)
    }
  }

  private def formatter(isParsing: Boolean) =
    TimestampFormatter(pattern, zone, locale, FAST_DATE_FORMAT, isParsing)
}

private[format] object LegacyTimes {

  /** Returns the check for a writer; `None` if its options have a pattern of times, from the user or from
    * [[stoplog.format.read.LineDialect]], which has no pattern for this policy.
    */
  def of(
      options: CaseInsensitiveMap[String],
      pattern: String,
      zone: ZoneId,
      locale: Locale
  ): Option[LegacyTimes] =
    Option.unless(options.contains("timestampFormat"))(new LegacyTimes(pattern, zone, locale))

  private final val Reason =
    "a time with microseconds or with an old offset, which is cut under spark.sql.legacy.timeParserPolicy = " +
      "LEGACY without timestampFormat"
}
