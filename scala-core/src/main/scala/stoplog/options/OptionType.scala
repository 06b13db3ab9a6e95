// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{DateTimeException, Duration, ZoneId}
import java.time.format.DateTimeParseException
import java.util.Locale

import scala.util.Try

/** The values that an option takes, and how a text is read as one of them.
  *
  * @param described       in the reference
  * @param parse           the value, or what is wrong with the text, as the end of a sentence
  * @param render          the text that [[parse]] reads as this value
  * @param words           all texts that are values, where these are a few words
  * @param mayBeEmpty      whether an empty text is a value; for other options it takes back the session's default
  * @param takesParameters whether a value may be a class of the user's, to which `<option>.<name>` is a parameter
  */
private[stoplog] final case class OptionType[T](
    described: String,
    parse: String => Either[String, T],
    render: T => String,
    words: Seq[String] = Nil,
    mayBeEmpty: Boolean = false,
    takesParameters: Boolean = false
) {

  /** The same values under other words in the reference. */
  def as(words: String): OptionType[T] = copy(described = words)

  /** The same values without those that do not pass. */
  def refusing(unless: T => Boolean, why: => String): OptionType[T] =
    copy(parse = text => parse(text).filterOrElse(unless, why))
}

private[stoplog] object OptionType {

  val text: OptionType[String] = checked("text")(Right(_))

  val columnName: OptionType[String] = text.as("column name")

  val directory: OptionType[String] = text.as("directory")

  /** The name of a class, which gets no parameters. */
  val className: OptionType[String] = text.as("class name")

  /** The name of a class of the user's, which may get parameters. */
  val userClass: OptionType[String] = className.copy(takesParameters = true)

  val size: OptionType[Long] = OptionType("size", ByteSize.parse, ByteSize.render)

  val span: OptionType[Long] = OptionType("time", TimeSpan.parse, TimeSpan.render)

  /** More than 0. */
  val wholeNumber: OptionType[Long] = OptionType(
    "whole number",
    _.trim.toLongOption.filter(_ > 0).toRight("is not a whole number more than 0"),
    _.toString
  )

  /** A whole number as arrays and threads are counted. */
  val count: OptionType[Int] = countUpTo("is too large")

  def countUpTo(tooLarge: String): OptionType[Int] = OptionType(
    wholeNumber.described,
    wholeNumber.parse(_).filterOrElse(_.isValidInt, tooLarge).map(_.toInt),
    _.toString
  )

  val truth: OptionType[Boolean] = words("true" -> true, "false" -> false)

  val columnNames: OptionType[Seq[String]] =
    OptionType("column names, separated by commas", ColumnNames.parse, ColumnNames.render)

  /** @param misspelled what to say of a name that no zone has */
  def zone(described: String)(read: String => ZoneId, misspelled: String): OptionType[ZoneId] = OptionType(
    described,
    text =>
      try Right(read(text.trim))
      catch { case _: DateTimeException => Left(misspelled) },
    _.getId
  )

  /** A text that is kept as it is, unless something is wrong with it. */
  def checked(described: String)(parse: String => Either[String, String]): OptionType[String] =
    OptionType(described, parse, identity)

  /** One of a few words, in upper or lower case. */
  def words[T](choices: (String, T)*): OptionType[T] = OptionType(
    listed(choices.map(_._1)),
    oneOf(choices)(_),
    value => choices.collectFirst { case (word, `value`) => word }.getOrElse(value.toString),
    choices.map(_._1)
  )

  /** One of a few values that know their words. */
  def named[T](all: Seq[T])(word: T => String): OptionType[T] = words(all.map(of => word(of) -> of): _*)

  /** Reads one of a few words, in upper or lower case. */
  def oneOf[T](words: Seq[(String, T)])(text: String): Either[String, T] =
    words.collectFirst { case (word, value) if word.equalsIgnoreCase(text.trim) => value }.toRight {
      val known = words.map(_._1)
      s"is not one of ${known.mkString(", ")}${Suggestion.of(text.trim, known).fold("")("; perhaps " + _)}"
    }

  private def listed(words: Seq[String]): String = {
    val quoted = words.map(word => s"`$word`")
    if (quoted.size == 1) quoted.head else s"${quoted.init.mkString(", ")} or ${quoted.last}"
  }

  /** Sizes as Spark writes them: `128m`, `1g`, `64 MiB`, or a bare number of bytes.
    *
    * As everywhere in Spark, all units are powers of 1024, whichever way they are spelled: `m`, `MB` and `MiB`
    * are the same. Fractions are refused, as Spark refuses them.
    */
  object ByteSize {

    /** The size in bytes, more than 0, or what is wrong with the text. */
    def parse(text: String): Either[String, Long] = text.trim.toLowerCase(Locale.ROOT) match {
      case Form(digits, unit) if shifts.contains(letter(unit)) => scaled(BigInt(digits), shifts(letter(unit)))
      case _ => Left("is not a size; write a whole number with a unit, such as 128m, 1g or 134217728")
    }

    /** The shortest text that [[parse]] reads as this number of bytes. */
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
      else if (!bytes.isValidLong) Left("is more bytes than any file can have")
      else Right(bytes.toLong)
    }
  }
}

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

/** Column names in one string: separated by commas, between backticks where a name has a comma or a backtick.
  */
private[stoplog] object ColumnNames {

  /** The names, without the spaces around them, or what is wrong with the text. */
  def parse(text: String): Either[String, Seq[String]] = {
    val terms = Term.findAllMatchIn(text).toSeq
    val names = terms.map(m => Option(m.group(1)).map(_.replace("``", "`")).getOrElse(m.group(2).trim))
    val twice = names.map(_.toLowerCase).diff(names.map(_.toLowerCase).distinct).headOption
    if (terms.map(_.matched).mkString(",") != text) Left(s"'$text' has a backtick too many or too few")
    else if (names.exists(_.isEmpty)) Left(s"'$text' has an empty name")
    else twice.map(name => s"'$name' is listed twice").toLeft(names)
  }

  def render(names: Seq[String]): String = names.map(quoted).mkString(",")

  // A name between backticks, in which two stand for one, or a name without any; up to the next comma or the end.
  private val Term = "(?:(?<=,)|^)(?:\\s*`((?:[^`]|``)*)`\\s*|([^,`]*))(?=,|$)".r

  private def quoted(name: String): String =
    if (name.exists(",`".contains(_)) || name != name.trim) s"`${name.replace("`", "``")}`" else name
}
