// SPDX-License-Identifier: Apache-2.0
package stoplog.options

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
