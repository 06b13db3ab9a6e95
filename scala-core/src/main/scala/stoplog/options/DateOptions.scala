// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{Instant, LocalDate, LocalDateTime, OffsetDateTime, ZoneId, ZoneOffset}

import scala.util.Try

import stoplog.bucket.DateTimeBucketAssigner
import stoplog.options.{DateRegistry => Registry}
import stoplog.source.file.{DatePattern, DateRange}

/** The options of directories that are named by dates, as entries of the [[SourceOptionRegistry]]. */
object DateRegistry extends OptionForms {

  val DatePattern: SinkOption = option(
    OptionGroup.Files,
    "datePattern",
    "pattern of Java's `DateTimeFormatter`, with `/` between levels",
    "directories are listed whatever their names",
    "How directories below `path` are named by dates: those outside of `dateFrom`, `dateUntil` and `dateWithin` are not " +
      "listed at all, and count as gone. A directory that the pattern does not fit is listed. Text that is none of the " +
      "date stands in quotes: `'day='yyyy-MM-dd`.",
    DateTimeBucketAssigner.DefaultPattern
  )

  val DateFrom: SinkOption = option(
    OptionGroup.Files,
    "dateFrom",
    "date, or date and time",
    "no limit",
    "Directories that end before it, or then, are not listed.",
    "2026-11-01"
  )

  val DateUntil: SinkOption = option(
    OptionGroup.Files,
    "dateUntil",
    "date, or date and time",
    "no limit",
    "Directories that begin then, or later, are not listed.",
    "2026-12-01T12:00"
  )

  val DateWithin: SinkOption = option(
    OptionGroup.Files,
    "dateWithin",
    "time",
    "no limit",
    "Directories that ended so long ago, or longer, are not listed, as of each listing.",
    "7d"
  )

  val DateTimeZone: SinkOption = withDefault(
    OptionGroup.Files,
    "dateTimeZone",
    "time zone",
    "UTC",
    "In which the directories' names, `dateFrom` and `dateUntil` are.",
    "Europe/Berlin"
  )

  val all: Seq[SinkOption] = Seq(DatePattern, DateFrom, DateUntil, DateWithin, DateTimeZone)
}

private[options] object DateOptions {

  def parse(asked: AskedOptions, problems: Problems): Option[DateRange] = {
    val zone    = asked.value(Registry.DateTimeZone)(zoneOf)
    val pattern = asked.optional(Registry.DatePattern)(DatePattern.parse(_, zone))
    val range   = pattern.map { pattern =>
      DateRange(
        pattern,
        asked.optional(Registry.DateFrom)(instant(_, zone)),
        asked.optional(Registry.DateUntil)(instant(_, zone)),
        asked.optional(Registry.DateWithin)(TimeSpan.parse)
      )
    }
    if (!asked.isSet(Registry.DatePattern))
      asked.withoutEffect(Registry.all.filterNot(_ == Registry.DatePattern), "unless datePattern is set")
    else if (range.exists(r => r.from.isEmpty && r.until.isEmpty && r.within.isEmpty))
      problems.add("datePattern has no effect without dateFrom, dateUntil or dateWithin: set one of them.")
    range
  }

  private def zoneOf(text: String): Either[String, ZoneId] =
    Try(ZoneId.of(text.trim)).toEither.left.map(_ =>
      "is no time zone; write for example UTC or Europe/Berlin"
    )

  private def instant(text: String, zone: ZoneId): Either[String, Instant] = {
    val word = text.trim.replace(' ', 'T')
    Try(LocalDate.parse(word).atStartOfDay(zone).toInstant)
      .orElse(Try(LocalDateTime.parse(word).atZone(zone).toInstant))
      .orElse(Try(OffsetDateTime.parse(word).withOffsetSameInstant(ZoneOffset.UTC).toInstant))
      .toEither
      .left
      .map(_ => "is no date; write for example 2026-11-01 or 2026-11-01T12:00")
  }
}
