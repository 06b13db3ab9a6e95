// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{FilterInputStream, InputStream}

import stoplog.storage.SourceFiles

/** The lines of one split, while they are read. The reader, with its buffer, is lent by the caller. */
private[file] final class OpenLines(
    files: SourceFiles,
    decoding: Decoding,
    reader: LineReader,
    val split: FileSplit
) extends AutoCloseable {
  private val inBytes         = split.extent.isInstanceOf[Extent.Bytes]
  private val from            = split.extent.from
  private val until           = split.extent.until
  private var count           = 0L    // of the lines that came before, if the file is read from its beginning
  private var begun           = false // whether all that lies before the split is behind
  private var stored          = 0L    // bytes of the storage that were read
  private val in: InputStream = open()

  /** Goes to where the split begins. [[next]] does so, too. */
  def begin(): Unit = {
    skip()
    while (!begun && fill()) skip()
  }

  /** Goes to the next line in the buffer. */
  def next(): Boolean = {
    if (!begun) skip()
    if (passed >= until || !reader.next()) false
    else {
      count += 1
      true
    }
  }

  /** Reads more. False when no line comes any more. */
  def fill(): Boolean =
    !isOver && (reader.fill(if (inBytes) until - passed else Long.MaxValue) || reader.hasBytes)

  /** Where a split has to begin that goes on behind the line: an offset, or the number of a line. */
  def passed: Long = if (inBytes) reader.position else count

  /** How much of what is stored was read so far. */
  def storedBytes: Long = if (inBytes) reader.position else stored

  /** Whether no line comes any more; reads if it has to. */
  def isAtEnd: Boolean = {
    while (!isOver && !reader.hasBytes && fill()) ()
    isOver
  }

  override def close(): Unit = in.close()

  /** What lies before the split belongs to the line that an earlier piece ends with. */
  private def skip(): Unit = {
    while (passed < from && reader.next()) count += 1
    begun = passed >= from
  }

  private def isOver: Boolean = passed >= until || reader.isDone

  private def open(): InputStream = {
    val begin = if (inBytes) (from - reader.lookBack).max(0L) else 0L
    val raw   = files.open(split.file, begin)
    try {
      val decoded = decoding.of(split.file).fold(raw)(decode => decode(new Counted(raw)))
      reader.open(decoded, begin)
      if (begin == 0) reader.skipByteOrderMark()
      decoded
    } catch {
      case e: Throwable =>
        raw.close()
        throw e
    }
  }

  private final class Counted(raw: InputStream) extends FilterInputStream(raw) {
    override def read(): Int = {
      val one = raw.read()
      if (one >= 0) stored += 1
      one
    }

    /** As much as is wanted: what a decoder makes of a file that breaks off must not depend on how a storage cuts it. */
    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
      val read = raw.readNBytes(bytes, offset, length)
      stored += read
      if (read == 0 && length > 0) -1 else read
    }
  }
}
