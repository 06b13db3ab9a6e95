// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.InputStream
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.Charset

/** Lines of a stream, in the buffer of the reader: nothing is copied, and no string is created.
  *
  * [[next]] moves to the next line that is complete in the buffer. If there is no such line, [[fill]] reads
  * more bytes. One reader can read many files in sequence with the same buffer.
  *
  * @param maxLineBytes the maximum length of a line. A longer line is an error before the buffer grows: a
  *                     small compressed file may contain a line that fits into no memory
  */
private[file] final class LineReader(separator: LineReader.Separator, maxLineBytes: Int) {
  import LineReader.Separator

  private var buffer              = new Array[Byte](LineReader.FirstBytes)
  private var words               = LineReader.wordsOf(buffer)
  private var begin               = 0  // start of the bytes that were not returned yet
  private var scanned             = 0  // no separator starts before this index
  private var filled              = 0
  private var base                = 0L // the offset in the file of the buffer's first byte
  private var source: InputStream = _
  private var atEnd               = true

  private val pattern: Array[Byte] = separator match {
    case Separator.AnyLineEnd => Array.emptyByteArray
    case Separator.Text(text) => text.toArray
  }

  // The current line.
  private var from      = 0
  private var size      = 0
  private var lineStart = 0L

  def bytes: Array[Byte] = buffer
  def offset: Int        = from
  def length: Int        = size

  /** The offset in the file of the line's first byte. */
  def startOffset: Long = lineStart

  /** The offset in the file of the first byte after the returned lines and their separators. */
  def position: Long = base + begin

  /** Starts reading a stream whose first byte has this offset in its file. */
  def open(in: InputStream, offset: Long): Unit = {
    source = in
    base = offset
    begin = 0
    scanned = 0
    filled = 0
    atEnd = false
  }

  /** Reads more bytes. False when the stream has no more bytes.
    *
    * @param wanted the number of bytes that the caller can use
    */
  def fill(wanted: Long): Boolean = !atEnd && {
    makeRoom()
    val room = (buffer.length - filled).toLong.min(wanted.max(LineReader.LeastBytes)).toInt
    val read = source.read(buffer, filled, room)
    if (read < 0) atEnd = true else filled += read
    true
  }

  /** Moves to the next line. False if the buffer has no complete line: at the end of the stream, there are no
    * more lines.
    *
    * @param longest the maximum length of the line
    */
  def next(longest: Int = maxLineBytes): Boolean = {
    val end = if (pattern.length == 0) anyLineEnd() else textEnd()
    if (end >= 0) {
      hand(end, longest)
      begin = end + endLength(end)
      scanned = begin
      true
    } else if (atEnd && begin < filled) {
      hand(filled, longest)
      begin = filled
      scanned = filled
      true
    } else false
  }

  /** Whether there are bytes that were not returned yet. */
  def hasBytes: Boolean = begin < filled

  /** See [[Separator.lookBack]]. */
  def lookBack: Int = separator.lookBack

  /** Whether all bytes have been returned. */
  def isDone: Boolean = atEnd && begin == filled

  /** Skips a byte order mark at the start of the file, which is not part of the first line. */
  def skipByteOrderMark(): Unit = {
    while (filled - begin < 3 && fill(LineReader.LeastBytes.toLong)) ()
    val mark = filled - begin >= 3 && buffer(begin) == 0xef.toByte && buffer(begin + 1) == 0xbb.toByte &&
      buffer(begin + 2) == 0xbf.toByte
    if (mark) {
      begin += 3
      scanned = begin
    }
  }

  private def hand(end: Int, longest: Int): Unit = {
    if (end - begin > longest) throw tooLong()
    from = begin
    size = end - begin
    lineStart = base + begin
  }

  /** Returns the end of the line, or -1. A carriage return at the buffer's end may be half a line end. */
  private def anyLineEnd(): Int = {
    val at = LineReader.lineEnd(buffer, words, scanned, filled)
    if (at < filled && (buffer(at) != '\r' || at + 1 < filled || atEnd)) at
    else {
      scanned = at
      -1
    }
  }

  private def textEnd(): Int = {
    var at = scanned
    while (at + pattern.length <= filled) {
      if (matches(at)) return at
      at += 1
    }
    scanned = at
    -1
  }

  private def matches(at: Int): Boolean = {
    var index = 0
    while (index < pattern.length && buffer(at + index) == pattern(index)) index += 1
    index == pattern.length
  }

  private def endLength(at: Int): Int =
    if (pattern.length > 0) pattern.length
    else if (buffer(at) == '\r' && at + 1 < filled && buffer(at + 1) == '\n') 2
    else 1

  private def makeRoom(): Unit =
    if (begin == filled) {
      base += begin
      begin = 0
      scanned = 0
      filled = 0
    } else if (buffer.length - filled < LineReader.LeastBytes) {
      val target = if (begin >= buffer.length / 2) buffer else larger()
      System.arraycopy(buffer, begin, target, 0, filled - begin)
      if (target ne buffer) words = LineReader.wordsOf(target)
      buffer = target
      base += begin
      scanned -= begin
      filled -= begin
      begin = 0
    }

  private def larger(): Array[Byte] =
    if (filled - begin > maxLineBytes) throw tooLong()
    else new Array[Byte]((buffer.length * 2L).min(maxLineBytes.toLong + 2 * LineReader.LeastBytes).toInt)

  private def tooLong() = new java.io.IOException(
    s"the line at this byte is longer than maxRecordSize, which is $maxLineBytes bytes: set a larger maxRecordSize " +
      "if the line is valid"
  )
}

private[stoplog] object LineReader {
  final val FirstBytes = 128 * 1024
  final val LeastBytes = 8 * 1024

  /** The default maximum length of a line. */
  final val MaxLineBytes = 256 << 20

  private final val Ones  = 0x0101010101010101L
  private final val Highs = 0x8080808080808080L

  def wordsOf(bytes: Array[Byte]): ByteBuffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)

  /** Returns the index of the first line feed or carriage return, or the limit. Checks 8 bytes at once. */
  def lineEnd(bytes: Array[Byte], words: ByteBuffer, from: Int, limit: Int): Int = {
    var at = from
    while (at + 8 <= limit) {
      val word    = words.getLong(at)
      val feeds   = word ^ (Ones * '\n')
      val returns = word ^ (Ones * '\r')
      val hits    = ((feeds - Ones) & ~feeds | (returns - Ones) & ~returns) & Highs
      if (hits != 0) return at + (java.lang.Long.numberOfTrailingZeros(hits) >>> 3)
      at += 8
    }
    while (at < limit && bytes(at) != '\n' && bytes(at) != '\r') at += 1
    at
  }

  /** The separator at the end of a line. */
  sealed trait Separator extends Serializable {

    /** The number of bytes before an offset that may belong to the end of the previous line. */
    def lookBack: Int

    /** Whether lines can be found from the middle of a file. False if separators can overlap. */
    def isSelfSynchronizing: Boolean
  }

  object Separator {

    /** A line feed, a carriage return, or both in this order, as in Spark. */
    case object AnyLineEnd extends Separator {
      override def lookBack: Int                = 1
      override def isSelfSynchronizing: Boolean = true
    }

    final case class Text(bytes: Vector[Byte]) extends Separator {
      override def lookBack: Int                = bytes.size
      override def isSelfSynchronizing: Boolean =
        (1 until bytes.size).forall(length => bytes.take(length) != bytes.takeRight(length))
    }

    def of(text: String, charset: Charset): Separator = Text(text.getBytes(charset).toVector)
  }
}
