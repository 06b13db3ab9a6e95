// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.time.{Instant, LocalDate, LocalDateTime, LocalTime, ZoneId}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder, DateTimeParseException}
import java.time.temporal.{ChronoField, ChronoUnit, TemporalQueries}
import java.util.regex.Matcher

import scala.util.Try

/** The directories that are not listed, because according to their names all their files are from another
  * time.
  *
  * @param pattern the names of directories, below the path
  * @param from    directories that end at or before this time are skipped
  * @param until   directories that start at or after this time are skipped
  * @param within  directories that ended more than this number of milliseconds ago are skipped
  */
final case class DateRange(
    pattern: DatePattern,
    from: Option[Instant],
    until: Option[Instant],
    within: Option[Long]
) {

  /** Returns the range at this time. */
  def at(nowMillis: Long): DateRange =
    within.fold(this)(span => copy(from = (from ++ Some(Instant.ofEpochMilli(nowMillis - span))).maxOption))

  /** @param names of a directory and its parents, below the path; a directory that does not match the pattern
    *              is not skipped
    */
  def admits(names: Vector[String]): Boolean = pattern.span(names).forall { case (begin, end) =>
    from.forall(_.isBefore(end)) && until.forall(begin.isBefore)
  }
}

/** The names of directories by date: one level (`yyyy-MM-dd`) or several (`'dt='yyyy-MM-dd'/hour='HH`). */
final class DatePattern private (val text: String, zone: ZoneId) extends Serializable {
  @transient private lazy val levels: Vector[DatePattern.Level] = DatePattern.levels(text)

  /** Returns the time range of the directory's files; `None` if the name is not such a date. */
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

  /** Returns the pattern or its error. */
  def parse(text: String, zone: ZoneId): Either[String, DatePattern] =
    Try(levels(text)).toEither.left
      .map(e => s"is not a pattern of dates: ${e.getMessage}")
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

  /** Returns the same pattern, with levels that are valid patterns individually. */
  private def withSlashesUnquoted(text: String): String =
    Quoted.replaceAllIn(
      text,
      quoted => {
        val pieces = quoted.group(1).split("/", -1)
        val apart  = pieces.map(piece => if (piece.isEmpty) "" else s"'$piece'").mkString("/")
        Matcher.quoteReplacement(if (pieces.sizeIs > 1) apart else quoted.matched)
      }
    )

  // Two quotes represent one quote.
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

  // The finest unit of a level.
  private val Units = Seq(
    "s"  -> ChronoUnit.SECONDS,
    "m"  -> ChronoUnit.MINUTES,
    "H"  -> ChronoUnit.HOURS,
    "d"  -> ChronoUnit.DAYS,
    "ML" -> ChronoUnit.MONTHS
  )
}
