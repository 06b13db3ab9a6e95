// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.charset.{Charset, CodingErrorAction}
import java.util

import scala.util.Try

import stoplog.error.Errors

/** Converts text to the bytes of a charset, without a byte order mark.
  *
  * @param format  for messages
  * @param lineEnd the end of each text; empty if the texts have no common end
  */
private[format] final class TextBytes(format: String, charset: Charset, lineEnd: String = "") {
  private val one      = "a".getBytes(charset)
  private val unitSize = "aa".getBytes(charset).length - one.length

  /** The byte order mark that `java.io.OutputStreamWriter` writes first in this charset; usually empty. */
  val byteOrderMark: Array[Byte] = util.Arrays.copyOf(one, one.length - unitSize)

  private val hasAllCharacters = charset.name.toUpperCase(util.Locale.ROOT).startsWith("UTF")

  private lazy val strict = charset
    .newEncoder()
    .onMalformedInput(CodingErrorAction.REPORT)
    .onUnmappableCharacter(CodingErrorAction.REPORT)

  // Each byte is a character of this text.
  private lazy val end = new String(bytes(lineEnd), ISO_8859_1)

  /** Error: `STOPLOG_UNREADABLE_ROW` for the reason of [[problem]]. */
  def of(text: String): Array[Byte] = {
    val encoded = bytes(text)
    problem(text, encoded).foreach(why => throw Errors.unreadableRow(format, why))
    encoded
  }

  /** Returns why readers would find another text, if so. */
  def problem(text: String): Option[String] = problem(text, bytes(text))

  /** Java writes a `?` in place of a character that the charset does not have. Spark's readers search for the
    * bytes of a line end, also in the middle of a character.
    */
  private def problem(text: String, encoded: Array[Byte]): Option[String] =
    if (!hasAllCharacters && !Try(strict.canEncode(text)).getOrElse(false))
      Some(s"it has a character that the charset ${charset.name} does not have")
    else if (unitSize > 1 && lineEnd.nonEmpty && isSplit(new String(encoded, ISO_8859_1)))
      Some(s"two of its characters have the bytes of a line end in ${charset.name} between them")
    else None

  private def isSplit(encoded: String): Boolean = encoded.indexOf(end) < encoded.length - end.length

  private def bytes(text: String): Array[Byte] = {
    val encoded = text.getBytes(charset)
    if (byteOrderMark.isEmpty || encoded.isEmpty) encoded
    else util.Arrays.copyOfRange(encoded, byteOrderMark.length, encoded.length)
  }
}
