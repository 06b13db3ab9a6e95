// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.Duration
import java.time.format.DateTimeParseException
import java.util.Locale

import scala.util.Try

/** Spans of time: `15 min`, `900s`, `500ms`, `1 hour 30 minutes`, `PT15M`.
  *
  * The unit is never left out: Spark reads a bare number as seconds in one place and as milliseconds in
  * another.
  */
private[stoplog] object TimeSpan {

  /** The span in milliseconds, more than 0, or what is wrong with the text. */
  def parse(text: String): Either[String, Long] = {
    val words = text.trim.toLowerCase(Locale.ROOT)
    if (words.matches("[0-9]+")) Left(s"has no unit; write for example ${words}s or ${words}ms")
    else if (words.startsWith("p")) iso(words)
    else if (words.matches(s"(?:$Term\\s*)+")) sum(words)
    else unreadable
  }

  /** The shortest text that [[parse]] reads as this number of milliseconds. */
  def render(millis: Long): String =
    Seq("d", "h", "m", "s")
      .collectFirst { case unit if millis % millisPer(unit) == 0 => s"${millis / millisPer(unit)}$unit" }
      .getOrElse(s"${millis}ms")

  private val Term = "([0-9]+)\\s*([a-z]+)"

  private val millisPer: Map[String, Long] = {
    val units = Seq(
      1L                -> Seq("ms", "msec", "millis", "millisecond", "milliseconds"),
      1000L             -> Seq("s", "sec", "secs", "second", "seconds"),
      60L * 1000        -> Seq("m", "min", "mins", "minute", "minutes"),
      3600L * 1000      -> Seq("h", "hr", "hrs", "hour", "hours"),
      24 * 3600 * 1000L -> Seq("d", "day", "days")
    )
    units.flatMap { case (millis, names) => names.map(_ -> millis) }.toMap
  }

  private def unreadable: Either[String, Long] =
    Left("is not a span of time; write a whole number with a unit, such as 15 min, 900s, 500ms or PT15M")

  private def iso(text: String): Either[String, Long] =
    try positive(BigInt(Duration.parse(text).toMillis))
    catch { case _: DateTimeParseException | _: ArithmeticException => unreadable }

  private def sum(words: String): Either[String, Long] = {
    val terms = Term.r.findAllMatchIn(words).map(m => (BigInt(m.group(1)), m.group(2))).toSeq
    if (terms.forall { case (_, unit) => millisPer.contains(unit) })
      positive(terms.map { case (number, unit) => number * millisPer(unit) }.sum)
    else unreadable
  }

  private def positive(millis: BigInt): Either[String, Long] =
    if (millis <= 0) Left("must be at least one millisecond")
    else Try(millis.bigInteger.longValueExact).toEither.left.map(_ => "is longer than can be counted")
}
