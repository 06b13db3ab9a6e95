// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.regex.{Pattern, PatternSyntaxException}

/** A pattern for one name, as Hadoop's file systems read it: `*`, `?`, `[a-z]`, `[^a]`, `{one,two}`, and `\` before a
  * character that is meant as it is.
  */
final class Glob private (val text: String, pattern: Pattern) extends Serializable {
  def matches(name: String): Boolean = pattern.matcher(name).matches()

  override def toString: String = text
}

object Glob {

  /** The error in the pattern, or the pattern. */
  def parse(text: String): Either[String, Glob] = {
    val regex  = new StringBuilder
    var index  = 0
    var braces = 0
    while (index < text.length) {
      text.charAt(index) match {
        case '\\' if index + 1 < text.length =>
          index += 1
          regex ++= Pattern.quote(text.charAt(index).toString)
        case '*'               => regex ++= "[^/]*"
        case '?'               => regex ++= "[^/]"
        case '['               => regex += '['
        case ']'               => regex += ']'
        case '^' | '-'         => regex += text.charAt(index)
        case '{'               => regex ++= "(?:"; braces += 1
        case '}' if braces > 0 => regex += ')'; braces -= 1
        case ',' if braces > 0 => regex += '|'
        case other             => regex ++= Pattern.quote(other.toString)
      }
      index += 1
    }
    if (braces > 0) Left("has a { that is not closed")
    else
      try Right(new Glob(text, Pattern.compile(regex.toString, Pattern.DOTALL)))
      catch { case e: PatternSyntaxException => Left(s"is no pattern: ${e.getDescription}") }
  }

  /** Whether there is anything to match in it. */
  def isPattern(text: String): Boolean = text.exists("*?[{".contains(_))
}
