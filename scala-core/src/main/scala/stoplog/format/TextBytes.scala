// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.{Charset, CodingErrorAction}
import java.util

import scala.util.Try

import stoplog.error.Errors

/** Converts text to the bytes of a charset, without a byte order mark.
  *
  * @param format for messages
  */
private[format] final class TextBytes(format: String, charset: Charset) {

  /** The byte order mark that `java.io.OutputStreamWriter` writes first in this charset; usually empty. */
  val byteOrderMark: Array[Byte] = {
    val one = "a".getBytes(charset)
    val two = "aa".getBytes(charset)
    util.Arrays.copyOf(one, 2 * one.length - two.length)
  }

  private val hasAllCharacters = charset.name.toUpperCase(util.Locale.ROOT).startsWith("UTF")

  private lazy val strict = charset
    .newEncoder()
    .onMalformedInput(CodingErrorAction.REPORT)
    .onUnmappableCharacter(CodingErrorAction.REPORT)

  /** Error: `STOPLOG_UNREADABLE_ROW` for a character that the charset does not have. Java would write a `?`
    * instead.
    */
  def of(text: String): Array[Byte] = {
    if (!hasAllCharacters && !Try(strict.canEncode(text)).getOrElse(false))
      throw Errors.unreadableRow(format, s"it has a character that the charset ${charset.name} does not have")
    val bytes = text.getBytes(charset)
    if (byteOrderMark.isEmpty || bytes.isEmpty) bytes
    else util.Arrays.copyOfRange(bytes, byteOrderMark.length, bytes.length)
  }
}
