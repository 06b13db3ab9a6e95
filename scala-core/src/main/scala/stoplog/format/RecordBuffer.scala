// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{OutputStream, Writer}
import java.nio.charset.Charset
import java.util

import stoplog.part.RowMemory

/** Passes the characters of one record from a generator to the part of the row.
  *
  * A generator writes to a single `Writer`, but a task writes to many parts, so this writer connects the two.
  * The buffer holds one record at a time and is empty when a part is persisted.
  *
  * @param lineEnd   the end of each record
  * @param heapBytes the memory of the process, which limits the size of a record
  */
private[format] final class RecordBuffer(
    format: String,
    charset: Charset,
    lineEnd: String,
    heapBytes: Long = Runtime.getRuntime.maxMemory
) extends Writer {

  private var chars: Array[Char] = new Array[Char](RecordBuffer.UsualChars)
  private var length: Int        = 0
  private var refusal            = Option.empty[IllegalArgumentException]

  private val most = RowMemory.most(heapBytes).min(RecordBuffer.MostChars)
  private val text = new TextBytes(format, charset, lineEnd)

  /** The start of each file; usually empty. */
  def byteOrderMark: Array[Byte] = text.byteOrderMark

  /** The characters of the record are the first [[size]]. Valid until the next write. */
  def record: Array[Char] = chars

  def size: Int = length

  def isEmpty: Boolean = length == 0

  /** Writes the record to `out` and clears the buffer. Error: `STOPLOG_UNREADABLE_ROW`. */
  def drainTo(out: OutputStream): Unit = {
    // Converts via a String: the JDK has its fastest encoders there, without a loop for the usual charsets.
    if (length > 0) out.write(text.of(new String(chars, 0, length)))
    clear()
  }

  /** Returns why readers would find another record, if so. */
  def problem: Option[String] = text.problem(new String(chars, 0, length))

  /** Returns why this buffer refused the record, if so. A generator may wrap the exception in another one,
    * whose message contains the whole record.
    */
  def refused: Option[IllegalArgumentException] = refusal

  /** Abandons the record. */
  def clear(): Unit = {
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

  // A flush only moves a generator's characters into this buffer. Only drainTo knows the target part.
  override def flush(): Unit = ()

  override def close(): Unit = ()

  private def reserve(count: Int): Unit = if (chars.length - length < count) grow(length.toLong + count)

  /** Throws an exception for a record that the memory of the process does not permit. */
  private def grow(needed: Long): Unit = {
    if (needed > RecordBuffer.UsualChars) {
      refusal = problem(needed).map(new IllegalArgumentException(_))
      refusal.foreach(throw _)
    }
    chars = util.Arrays.copyOf(chars, needed.max((2L * chars.length).min(most)).toInt)
  }

  private def problem(needed: Long): Option[String] =
    RowMemory.problem(needed, "characters or more", heapBytes).orElse {
      Option.when(needed > RecordBuffer.MostChars)(
        s"it needs $needed characters, more than an array can contain"
      )
    }
}

private[format] object RecordBuffer {
  private val UsualChars    = 8 * 1024
  private val MostKeptChars = 1024 * 1024
  private val MostChars     = Int.MaxValue - 8L
}
