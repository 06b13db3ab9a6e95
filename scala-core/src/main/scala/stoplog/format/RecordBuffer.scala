// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{OutputStream, Writer}
import java.nio.charset.Charset
import java.util

/** The characters of one record on their way from a generator to the part that the row belongs to.
  *
  * A generator is made for one `Writer`, and a task writes to many parts; this writer stands between the two.
  * It holds one record at a time, so nothing of a part is left behind here when the part is persisted.
  */
private[format] final class RecordBuffer(charset: Charset) extends Writer {

  private var chars: Array[Char] = new Array[Char](RecordBuffer.UsualChars)
  private var length: Int        = 0

  /** The first bytes of a file in this charset, as `java.io.OutputStreamWriter` would write them; mostly none. */
  val byteOrderMark: Array[Byte] = {
    val one = "a".getBytes(charset)
    val two = "aa".getBytes(charset)
    util.Arrays.copyOf(one, 2 * one.length - two.length)
  }

  def isEmpty: Boolean = length == 0

  /** Writes the record to `out` and forgets it. */
  def drainTo(out: OutputStream): Unit = {
    // By way of a String: the JDK encodes those with its fastest code, for the usual charsets without a loop.
    val bytes = new String(chars, 0, length).getBytes(charset)
    if (length > 0) out.write(bytes, byteOrderMark.length, bytes.length - byteOrderMark.length)
    length = 0
    if (chars.length > RecordBuffer.MostKeptChars) chars = new Array[Char](RecordBuffer.UsualChars)
  }

  override def write(c: Int): Unit = {
    reserve(1)
    chars(length) = c.toChar
    length += 1
  }

  override def write(from: Array[Char], offset: Int, count: Int): Unit = {
    reserve(count)
    System.arraycopy(from, offset, chars, length, count)
    length += count
  }

  override def write(from: String, offset: Int, count: Int): Unit = {
    reserve(count)
    from.getChars(offset, offset + count, chars, length)
    length += count
  }

  // A flush moves a generator's characters here; where they go next is known to drainTo only.
  override def flush(): Unit = ()

  override def close(): Unit = ()

  private def reserve(count: Int): Unit =
    if (chars.length - length < count)
      chars = util.Arrays.copyOf(chars, math.max(Math.addExact(length, count), grown))

  private def grown: Int = math.min(2L * chars.length, RecordBuffer.MostChars).toInt
}

private[format] object RecordBuffer {
  private val UsualChars    = 8 * 1024
  private val MostKeptChars = 1024 * 1024
  private val MostChars     = Int.MaxValue - 8L
}
