// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.time.{DateTimeException, ZoneId}

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

  /** Those of the values that pass. */
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
}
