// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{DateTimeException, Duration, ZoneId}
import java.time.format.DateTimeParseException
import java.util.Locale

import scala.util.Try

/** The type of an option: its values, and their conversion from and to text.
  *
  * @param described       the description in the reference
  * @param parse           returns the value, or the problem of the text as the end of a sentence
  * @param render          returns the text that [[parse]] converts to this value
  * @param words           all valid words, for an enumeration
  * @param mayBeEmpty      whether empty text is a value; for other options it removes the session's default
  * @param takesParameters whether a value may be a user class with parameters `<option>.<name>`
  */
private[stoplog] final case class OptionType[T](
    described: String,
    parse: String => Either[String, T],
    render: T => String,
    words: Seq[String] = Nil,
    mayBeEmpty: Boolean = false,
    takesParameters: Boolean = false
) {

  /** Returns this type with another description in the reference. */
  def as(words: String): OptionType[T] = copy(described = words)

  /** Returns this type without values that fail the test. */
  def refusing(unless: T => Boolean, why: => String): OptionType[T] =
    copy(parse = text => parse(text).filterOrElse(unless, why))
}

private[stoplog] object OptionType {

  val text: OptionType[String] = checked("text")(Right(_))

  val columnName: OptionType[String] = text.as("column name")

  val directory: OptionType[String] = text.as("directory")

  /** The name of a class without parameters. */
  val className: OptionType[String] = text.as("class name")

  /** The name of a user class, optionally with parameters. */
  val userClass: OptionType[String] = className.copy(takesParameters = true)

  val size: OptionType[Long] = OptionType("size", ByteSize.parse, ByteSize.render)

  val span: OptionType[Long] = OptionType("time", TimeSpan.parse, TimeSpan.render)

  /** A positive whole number. */
  val wholeNumber: OptionType[Long] = OptionType(
    "whole number",
    _.trim.toLongOption.filter(_ > 0).toRight("is not a whole number greater than 0"),
    _.toString
  )

  /** A positive whole number in the range of `Int`, for array lengths and thread counts. */
  val count: OptionType[Int] = countUpTo("is too large")

  def countUpTo(tooLarge: String): OptionType[Int] = OptionType(
    wholeNumber.described,
    wholeNumber.parse(_).filterOrElse(_.isValidInt, tooLarge).map(_.toInt),
    _.toString
  )

  val truth: OptionType[Boolean] = words("true" -> true, "false" -> false)

  val columnNames: OptionType[Seq[String]] =
    OptionType("column names, separated by commas", ColumnNames.parse, ColumnNames.render)

  /** @param misspelled the problem of a name that is not a zone
    */
  def zone(described: String)(read: String => ZoneId, misspelled: String): OptionType[ZoneId] = OptionType(
    described,
    text =>
      try Right(read(text.trim))
      catch { case _: DateTimeException => Left(misspelled) },
    _.getId
  )

  /** A text kept unchanged after a check. */
  def checked(described: String)(parse: String => Either[String, String]): OptionType[String] =
    OptionType(described, parse, identity)

  /** An enumeration of option values, case-insensitive. */
  def words[T](choices: (String, T)*): OptionType[T] = OptionType(
    listed(choices.map(_._1)),
    oneOf(choices)(_),
    value => choices.collectFirst { case (word, `value`) => word }.getOrElse(value.toString),
    choices.map(_._1)
  )

  /** An enumeration whose values carry their option text. */
  def named[T](all: Seq[T])(word: T => String): OptionType[T] = words(all.map(of => word(of) -> of): _*)

  /** Parses a word of an enumeration, case-insensitive. */
  def oneOf[T](words: Seq[(String, T)])(text: String): Either[String, T] =
    words.collectFirst { case (word, value) if word.equalsIgnoreCase(text.trim) => value }.toRight {
      val known = words.map(_._1)
      s"is not one of ${known.mkString(", ")}${Suggestion.of(text.trim, known).fold("")("; perhaps " + _)}"
    }

  private def listed(words: Seq[String]): String = {
    val quoted = words.map(word => s"`$word`")
    if (quoted.size == 1) quoted.head else s"${quoted.init.mkString(", ")} or ${quoted.last}"
  }

  /** Sizes with Spark's syntax: `128m`, `1g`, `64 MiB`, or a plain number of bytes.
    *
    * As in Spark, all units are powers of 1024 in every spelling: `m`, `MB` and `MiB` are the same. Fractions
    * are rejected, as in Spark.
    */
  object ByteSize {

    /** Returns the size in bytes, which is positive, or the problem of the text. */
    def parse(text: String): Either[String, Long] = text.trim.toLowerCase(Locale.ROOT) match {
      case Form(digits, unit) if shifts.contains(letter(unit)) => scaled(BigInt(digits), shifts(letter(unit)))
      case _ => Left("is not a size; write a whole number with a unit, such as 128m, 1g or 134217728")
    }

    /** Returns the shortest text that [[parse]] converts to this number of bytes. */
    def render(bytes: Long): String =
      Seq("p", "t", "g", "m", "k")
        .collectFirst { case unit if bytes % (1L << shifts(unit)) == 0 => s"${bytes >> shifts(unit)}$unit" }
        .getOrElse(bytes.toString)

    private val Form = "([0-9]+)\\s*(|b|[kmgtp](?:i?b)?)".r

    private val shifts = Map("" -> 0, "b" -> 0, "k" -> 10, "m" -> 20, "g" -> 30, "t" -> 40, "p" -> 50)

    private def letter(unit: String): String = unit.take(1)

    private def scaled(number: BigInt, shift: Int): Either[String, Long] = {
      val bytes = number << shift
      if (bytes <= 0) Left("must be more than 0")
      else if (!bytes.isValidLong) Left("is larger than any file")
      else Right(bytes.toLong)
    }
  }
}

/** Spans of time: `15 min`, `900s`, `500ms`, `1 hour 30 minutes`, `PT15M`.
  *
  * The unit is required, because Spark reads a plain number as seconds in some options and as milliseconds in
  * others.
  */
private[stoplog] object TimeSpan {

  /** Returns the span in milliseconds, which is positive, or the problem of the text. */
  def parse(text: String): Either[String, Long] = {
    val words = text.trim.toLowerCase(Locale.ROOT)
    if (words.matches("[0-9]+")) Left(s"has no unit; write for example ${words}s or ${words}ms")
    else if (words.startsWith("p")) iso(words)
    else if (words.matches(s"(?:$Term\\s*)+")) sum(words)
    else unreadable
  }

  /** Returns the shortest text that [[parse]] converts to this number of milliseconds. */
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
    Left("is not a duration; write a whole number with a unit, such as 15 min, 900s, 500ms or PT15M")

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
    else Try(millis.bigInteger.longValueExact).toEither.left.map(_ => "is too long")
}

/** Column names in one string, separated by commas. Names that contain a comma or a backtick are quoted with
  * backticks.
  */
private[stoplog] object ColumnNames {

  /** Returns the names without surrounding spaces, or the problem of the text. */
  def parse(text: String): Either[String, Seq[String]] = {
    val terms = Term.findAllMatchIn(text).toSeq
    val names = terms.map(m => Option(m.group(1)).map(_.replace("``", "`")).getOrElse(m.group(2).trim))
    val twice = names.map(_.toLowerCase).diff(names.map(_.toLowerCase).distinct).headOption
    if (terms.map(_.matched).mkString(",") != text) Left(s"'$text' has an unpaired backtick")
    else if (names.exists(_.isEmpty)) Left(s"'$text' has an empty name")
    else twice.map(name => s"'$name' is listed twice").toLeft(names)
  }

  def render(names: Seq[String]): String = names.map(quoted).mkString(",")

  // A quoted name, with two backticks for each backtick, or a plain name, up to a comma or the end.
  private val Term = "(?:(?<=,)|^)(?:\\s*`((?:[^`]|``)*)`\\s*|([^,`]*))(?=,|$)".r

  private def quoted(name: String): String =
    if (name.exists(",`".contains(_)) || name != name.trim) s"`${name.replace("`", "``")}`" else name
}
