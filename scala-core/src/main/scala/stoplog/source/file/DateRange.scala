// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.time.{Instant, LocalDate, LocalDateTime, LocalTime, ZoneId}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder, DateTimeParseException}
import java.time.temporal.{ChronoField, ChronoUnit, TemporalQueries}
import java.util.regex.Matcher

import scala.util.Try

/** The directories that are not even listed, because their names say that all in them is from another time.
  *
  * @param pattern how directories are named, below the path
  * @param from    directories all of which is before it are left out
  * @param until   directories none of which is before it are left out
  * @param within  directories that ended longer ago than so many milliseconds are left out
  */
final case class DateRange(
    pattern: DatePattern,
    from: Option[Instant],
    until: Option[Instant],
    within: Option[Long]
) {

  /** The range as it is at this time. */
  def at(nowMillis: Long): DateRange =
    within.fold(this)(span => copy(from = (from ++ Some(Instant.ofEpochMilli(nowMillis - span))).maxOption))

  /** @param names of a directory and those above it, below the path; one that the pattern does not fit is not left out */
  def admits(names: Vector[String]): Boolean = pattern.span(names).forall { case (begin, end) =>
    from.forall(_.isBefore(end)) && until.forall(begin.isBefore)
  }
}

/** The names that directories have by their dates: one level, as `yyyy-MM-dd`, or several, as
  * `'dt='yyyy-MM-dd'/hour='HH`.
  */
final class DatePattern private (val text: String, zone: ZoneId) extends Serializable {
  @transient private lazy val levels: Vector[DatePattern.Level] = DatePattern.levels(text)

  /** The time from which, and until which, the directory has files; none if its name is no such date. */
  private[file] def span(names: Vector[String]): Option[(Instant, Instant)] =
    levels.lift(names.size - 1).flatMap { level =>
      level.begin(names.mkString("/")).map { begin =>
        (begin.atZone(zone).toInstant, begin.plus(1, level.unit).atZone(zone).toInstant)
      }
    }

  override def equals(other: Any): Boolean = other match {
    case that: DatePattern => text == that.text
    case _                 => false
  }

  override def hashCode: Int = text.hashCode

  override def toString: String = text
}

object DatePattern {

  /** The pattern, or its error. */
  def parse(text: String, zone: ZoneId): Either[String, DatePattern] =
    Try(levels(text)).toEither.left
      .map(e => s"is no pattern of dates: ${e.getMessage}")
      .filterOrElse(
        _.forall(level => level.letters.exists(Years.contains(_))),
        "does not begin with a year, such as yyyy/MM/dd"
      )
      .map(_ => new DatePattern(text, zone))

  private final class Level(format: DateTimeFormatter, val letters: String, val unit: ChronoUnit) {
    def begin(text: String): Option[LocalDateTime] =
      try {
        val parsed = format.parse(text)
        for {
          date <- Option[LocalDate](parsed.query(TemporalQueries.localDate()))
          time <- Option[LocalTime](parsed.query(TemporalQueries.localTime()))
        } yield date.atTime(time)
      } catch { case _: DateTimeParseException => None }
  }

  private def levels(text: String): Vector[Level] = {
    val names = withSlashesUnquoted(text).split('/').toVector
    Vector.tabulate(names.size)(index => level(names.take(index + 1).mkString("/")))
  }

  /** The same pattern, whose levels are patterns themselves. */
  private def withSlashesUnquoted(text: String): String =
    Quoted.replaceAllIn(
      text,
      quoted => {
        val pieces = quoted.group(1).split("/", -1)
        val apart  = pieces.map(piece => if (piece.isEmpty) "" else s"'$piece'").mkString("/")
        Matcher.quoteReplacement(if (pieces.sizeIs > 1) apart else quoted.matched)
      }
    )

  // Two quotes stand for one.
  private val Quoted = "'((?:[^']|'')*)'".r

  private def level(text: String): Level = {
    val letters = text.replaceAll("'[^']*'", "").filter(_.isLetter)
    val unit    = Units.collectFirst { case (of, unit) if letters.exists(of.contains(_)) => unit }
    val format  = new DateTimeFormatterBuilder()
      .appendPattern(text)
      .parseDefaulting(ChronoField.MONTH_OF_YEAR, 1)
      .parseDefaulting(ChronoField.DAY_OF_MONTH, 1)
      .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
      .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
      .toFormatter()
    new Level(format, letters, unit.getOrElse(ChronoUnit.YEARS))
  }

  private final val Years = "yu"

  // The finest that a level tells.
  private val Units = Seq(
    "s"  -> ChronoUnit.SECONDS,
    "m"  -> ChronoUnit.MINUTES,
    "H"  -> ChronoUnit.HOURS,
    "d"  -> ChronoUnit.DAYS,
    "ML" -> ChronoUnit.MONTHS
  )
}
