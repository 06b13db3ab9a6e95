// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time._
import java.time.format.DateTimeFormatter
import java.time.temporal._
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.types.{DateType, StructType}

import stoplog.util.UserObject

/** The ends of buckets, for each bucketing with known ends. */
private[stoplog] object BucketEnds {
  type Ends = String => Option[Long]

  /** Returns the function from a bucket to its end.
    *
    * @param zone the time zone of the days in a date column
    * @return the function, or the problem (as the end of a sentence) if the ends are unknown
    */
  def of(bucketing: Bucketing, schema: StructType, zone: ZoneId): Either[String, Ends] = bucketing match {
    case Bucketing.DateTime(pattern, in, _) =>
      DateTimeEnds
        .of(pattern, in)
        .map(ends => ends.endMillis(_))
        .toRight("the pattern does not contain the complete time")
    case Bucketing.PartitionColumns(names, _) => dateColumn(PartitionColumns.of(schema, names), zone)
    case Bucketing.UserAssigner(reference)    =>
      UserObject.load(reference, classOf[BucketAssigner], "bucketAssigner") match {
        case timed: TimedBuckets => Right(timed.bucketEndMillis(_))
        case other               => Left(s"${other.getClass.getName} is not a stoplog.bucket.TimedBuckets")
      }
    case Bucketing.BasePath | _: Bucketing.Expression | _: Bucketing.FromColumn =>
      Left("these buckets have no time")
  }

  /** Returns the ends of the days in the only date column. */
  private def dateColumn(columns: PartitionColumns, zone: ZoneId): Either[String, Ends] =
    columns.ordinals.zipWithIndex.filter { case (i, _) => columns.schema(i).dataType == DateType } match {
      case Seq((_, level)) =>
        Right { bucket =>
          for {
            segment <- bucket.split('/').lift(level)
            day     <- Try(LocalDate.parse(segment.substring(segment.indexOf('=') + 1))).toOption
          } yield day.plusDays(1).atStartOfDay(zone).toInstant.toEpochMilli
        }
      case dates =>
        Left(s"partitionBy must have exactly one column of type DATE for the day, and has ${dates.size}")
    }

  /** The ends of buckets with names derived from a time.
    *
    * If the clock is set back, a name covers two spans of time, and its end is the end of the later span. A
    * bucket may therefore appear to end an hour late, but never too early.
    */
  final class DateTimeEnds private (formatter: DateTimeFormatter, zone: ZoneId) {
    import DateTimeEnds._

    /** Returns the end of a bucket, in milliseconds since 1970-01-01T00:00:00Z; `None` for any other name. */
    def endMillis(bucket: String): Option[Long] =
      spanOf(bucket).map { case (_, end) =>
        end.atZone(zone).withLaterOffsetAtOverlap().toInstant.toEpochMilli
      }

    /** Returns the span of a bucket in local time: start (inclusive) and end (exclusive). */
    private def spanOf(bucket: String): Option[(LocalDateTime, LocalDateTime)] = for {
      parsed <- Try(formatter.parse(bucket)).toOption
      date   <- dateOf(parsed)
      start = date.atTime(Option(parsed.query(TemporalQueries.localTime())).getOrElse(LocalTime.MIDNIGHT))
      unit <- units.find(unit => textOf(start.plus(1, unit)) != textOf(start))
      from = if (unit.isTimeBased) start.truncatedTo(unit) else start.truncatedTo(ChronoUnit.DAYS)
    } yield from -> from.plus(1, unit)

    private def textOf(time: LocalDateTime): String = formatter.format(time.atZone(zone))

    private def holds(time: ZonedDateTime): Boolean = spanOf(formatter.format(time)).exists {
      case (from, until) =>
        val local = time.toLocalDateTime
        !local.isBefore(from) && local.isBefore(until)
    }
  }

  object DateTimeEnds {

    /** Returns the ends for a pattern; `None` if the pattern does not determine the full time, such as `HH`
      * or `MM-dd`. Error: `STOPLOG_INVALID_OPTIONS` if the pattern cannot name a bucket.
      */
    def of(pattern: String, zone: ZoneId): Option[DateTimeEnds] = {
      val ends = new DateTimeEnds(DateTimePattern.parse(pattern).formatter, zone)
      Option.when(samples.forall(millis => ends.holds(Instant.ofEpochMilli(millis).atZone(zone))))(ends)
    }

    private val weeks = WeekFields.of(Locale.US)

    /** Returns the first day that matches the parsed name. */
    private def dateOf(parsed: TemporalAccessor): Option[LocalDate] = {
      def year                                         = parsed.get(ChronoField.YEAR)
      def has(fields: TemporalField*): Boolean         = fields.forall(parsed.isSupported)
      def first(date: => LocalDate): Option[LocalDate] = Try(date).toOption
      Option(parsed.query(TemporalQueries.localDate())).orElse {
        if (has(ChronoField.YEAR, ChronoField.MONTH_OF_YEAR))
          first(LocalDate.of(year, parsed.get(ChronoField.MONTH_OF_YEAR), 1))
        else if (has(ChronoField.YEAR, IsoFields.QUARTER_OF_YEAR))
          first(LocalDate.of(year, parsed.getLong(IsoFields.QUARTER_OF_YEAR).toInt * 3 - 2, 1))
        else if (has(weeks.weekBasedYear, weeks.weekOfWeekBasedYear))
          first(
            LocalDate.EPOCH
              .`with`(weeks.weekBasedYear, parsed.getLong(weeks.weekBasedYear))
              .`with`(weeks.weekOfWeekBasedYear, parsed.getLong(weeks.weekOfWeekBasedYear))
              .`with`(weeks.dayOfWeek, 1)
          )
        else first(LocalDate.of(year, 1, 1))
      }
    }

    /** From finest to coarsest. The first unit whose increment changes the name is the span of a bucket. */
    private val units = Seq(
      ChronoUnit.MICROS,
      ChronoUnit.MILLIS,
      ChronoUnit.SECONDS,
      ChronoUnit.MINUTES,
      ChronoUnit.HOURS,
      ChronoUnit.DAYS,
      ChronoUnit.WEEKS,
      ChronoUnit.MONTHS,
      IsoFields.QUARTER_YEARS,
      ChronoUnit.YEARS
    )

    /** Sample times over three years; the step is not a multiple of any unit. */
    private val samples: Seq[Long] = {
      val start = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli
      (0L until 300L).map(n => start + n * 313_271_337L)
    }
  }
}
