// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The ends of lines for readers with the same options. A row whose text contains such an end would be read
  * as two rows.
  */
private[format] sealed trait LineEnds extends Serializable {

  /** Returns whether readers find an end before the end of the record.
    *
    * @param record a record in the first `size` characters, followed by the end of the line
    */
  def isWithin(record: Array[Char], size: Int): Boolean

  /** @param value without the end of the line */
  def isWithin(value: UTF8String): Boolean
}

private[format] object LineEnds {

  /** @param lineSep the option; by default, readers end a line at `\n`, `\r` and `\r\n` */
  def of(lineSep: Option[String]): LineEnds = lineSep match {
    case None       => Usual
    case Some("")   => Nothing
    case Some(text) => new Only(text)
  }

  private case object Usual extends LineEnds {

    override def isWithin(record: Array[Char], size: Int): Boolean = {
      var at = 0
      while (at < size && record(at) != '\n' && record(at) != '\r') at += 1
      at < size
    }

    // Most texts have no byte up to '\r', which one look at 32 bytes shows. No tuples: they allocate memory.
    override def isWithin(value: UTF8String): Boolean = {
      val base  = value.getBaseObject
      val start = value.getBaseOffset
      val last  = value.numBytes - 8
      var low   = if (last < 0) Highs else 0L
      var at    = 0
      while (low == 0 && at <= last - 24) {
        val from = start + at
        low = lowBytes(Platform.getLong(base, from)) | lowBytes(Platform.getLong(base, from + 8)) |
          lowBytes(Platform.getLong(base, from + 16)) | lowBytes(Platform.getLong(base, from + 24))
        at += 32
      }
      while (low == 0 && at < last) {
        low = lowBytes(Platform.getLong(base, start + at))
        at += 8
      }
      if (low == 0) low = lowBytes(Platform.getLong(base, start + last)) // may overlap the word before
      low != 0 && hasEnd(value)
    }

    // Eight bytes at a time, for texts with tabs: a byte of a word is zero if it has the value of the mask.
    private def hasEnd(value: UTF8String): Boolean = {
      val base   = value.getBaseObject
      val start  = value.getBaseOffset
      val length = value.numBytes
      var at     = 0
      var found  = false
      while (!found && at + 8 <= length) {
        val word = Platform.getLong(base, start + at)
        found = hasZero(word ^ LineFeeds) || hasZero(word ^ Returns)
        at += 8
      }
      while (!found && at < length) {
        val byte = Platform.getByte(base, start + at)
        found = byte == '\n' || byte == '\r'
        at += 1
      }
      found
    }

    /** Returns a number other than zero if and only if a byte of the word is at most '\r'. */
    private def lowBytes(word: Long): Long = (word - FirstAbove) & ~word & Highs

    private def hasZero(word: Long): Boolean = ((word - Ones) & ~word & Highs) != 0

    private final val Ones       = 0x0101010101010101L
    private final val Highs      = 0x8080808080808080L
    private final val LineFeeds  = Ones * '\n'
    private final val Returns    = Ones * '\r'
    private final val FirstAbove = Ones * ('\r' + 1)
  }

  /** Bytes without lines: the user sets an empty `lineSep` for such files. */
  private case object Nothing extends LineEnds {
    override def isWithin(record: Array[Char], size: Int): Boolean = false
    override def isWithin(value: UTF8String): Boolean              = false
  }

  /** The end may also begin inside of the record and end inside of the record's own end. */
  private final class Only(text: String) extends LineEnds {
    private val chars = text.toCharArray
    private val bytes = UTF8String.fromString(text)
    private val end   = bytes.getBytes

    override def isWithin(record: Array[Char], size: Int): Boolean = {
      var at = 0
      while (at < size && !beginsAt(record, at)) at += 1
      at < size
    }

    private def beginsAt(record: Array[Char], at: Int): Boolean = {
      var i = 0
      while (i < chars.length && at + i < record.length && record(at + i) == chars(i)) i += 1
      i == chars.length
    }

    // Searches bytes, as readers do: UTF8String.indexOf skips bytes after an incomplete character.
    override def isWithin(value: UTF8String): Boolean =
      if (end.length == 1) value.contains(bytes)
      else {
        val line = UTF8String.concat(value, bytes).getBytes
        var at   = 0
        while (at < value.numBytes && !Arrays.equals(line, at, at + end.length, end, 0, end.length)) at += 1
        at < value.numBytes
      }
  }
}
