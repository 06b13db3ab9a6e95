// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.InputStream
import java.net.URI

import stoplog.error.Errors
import stoplog.source.Fetched
import stoplog.storage.SourceFiles

/** The lines of one split during reading. The caller provides the reader with its buffer.
  *
  * @param heading if files begin with a header
  */
private[file] final class OpenLines(
    files: SourceFiles,
    decoding: Decoding,
    reader: LineReader,
    val split: FileSplit,
    heading: Option[Heading] = None
) extends AutoCloseable {
  private val inBytes         = split.extent.isInstanceOf[Extent.Bytes]
  private val from            = split.extent.from
  private var until           = split.extent.until
  private var awaited         = heading.filter(_ => split.isFirst)
  private var headerStart     = OpenLines.NoOffset
  private var count           = 0L    // number of preceding lines, if the file is read from its start
  private var begun           = false // whether the bytes before the split are skipped
  private var isFresh         = true  // whether only the opening has read
  private val stored          = new OpenRecords.StoredBytes
  private val in: InputStream = open()

  /** Moves to the start of the split. [[next]] also does so. */
  def begin(): Unit = {
    skip()
    while (!begun && fill()) skip()
  }

  /** Moves to the next line in the buffer. */
  def next(): Boolean = {
    if (!begun) skip()
    if (passed >= until || !reader.next()) false
    else {
      count += 1
      if (awaited.isDefined) seekHeader()
      true
    }
  }

  /** Whether the lines read so far precede the header. */
  def awaitsHeader: Boolean = awaited.isDefined

  /** Whether the header follows this piece of the file. Called after the last line. Reads on to the header: a
    * file of only comments and blank lines has no header, and no rows.
    */
  def isBeforeHeader: Boolean =
    awaitsHeader && !split.isLast && until > from && {
      until = Long.MaxValue
      var more = true
      while (more && awaitsHeader) more = next() || fill()
      !awaitsHeader
    }

  /** Whether the current line is the header of the file. */
  def isHeader: Boolean = reader.startOffset == headerStart

  /** Reads more bytes, after the bytes that the opening read. Returns false if there are no more lines. */
  def fill(): Boolean = !isOver && {
    val isBuffered = isFresh && reader.hasBytes
    isFresh = false
    isBuffered || reader.fill(if (inBytes) until - passed else Long.MaxValue) || reader.hasBytes
  }

  /** The start of a split that continues after the line: an offset, or the number of a line. */
  def passed: Long = if (inBytes) reader.position else count

  /** The number of stored bytes read so far. */
  def storedBytes: Long = if (inBytes) reader.position else stored.count

  /** Whether there are no more lines. Reads if necessary. */
  def isAtEnd: Boolean = {
    while (!isOver && !reader.hasBytes && fill()) ()
    isOver
  }

  override def close(): Unit = in.close()

  /** Skips the bytes before the split, which belong to the last line of an earlier piece. */
  private def skip(): Unit = {
    while (passed < from && reader.next(longest = Int.MaxValue)) count += 1
    begun = passed >= from
  }

  private def isOver: Boolean = passed >= until || reader.isDone

  private def seekHeader(): Unit =
    if (!awaited.exists(_.isBefore(reader.bytes, reader.offset, reader.length))) {
      headerStart = reader.startOffset
      awaited = None
    }

  /** The first line starts with the byte order mark. So the first line belongs to the piece from byte 0, even
    * if the piece ends within the mark.
    */
  private def skipByteOrderMark(): Unit = if (!inBytes || from == 0) {
    reader.skipByteOrderMark()
    if (inBytes && until > 0) until = until.max(reader.position + 1)
  }

  private def open(): InputStream = {
    val begin = if (inBytes) (from - reader.lookBack).max(0L) else 0L
    val raw   = files.open(split.file, begin)
    try {
      val decoded = decoding.of(files, split.file).fold(raw)(decode => decode(stored.of(raw)))
      reader.open(decoded, begin)
      if (begin == 0) skipByteOrderMark()
      decoded
    } catch {
      case e: Throwable =>
        raw.close()
        throw e
    }
  }
}

private[file] object OpenLines {
  private final val NoOffset = -1L

  /** Otherwise, the header would be a row of another piece. */
  private final val BehindFirstPiece =
    "its header follows the first of several pieces of the file: remove the comments before the header"

  /** Reads the lines of files, all into one buffer.
    *
    * @param onMissing the handling of a missing file
    * @param monitoring decides on a piece of a file that has been replaced
    * @param heading if files begin with a header
    */
  private[stoplog] final class LineSplitReader(
      files: SourceFiles,
      decoding: Decoding,
      reader: LineReader,
      onMissing: OnMissingFile,
      monitoring: Monitoring,
      heading: Option[Heading] = None
  ) extends FileByFile[OpenLines, Line](files, onMissing, monitoring) {
    override protected def begin(split: FileSplit): OpenLines =
      new OpenLines(files, decoding, reader, split, heading)

    override protected def hasMore(lines: OpenLines): Boolean = lines.fill() || {
      if (lines.isBeforeHeader)
        throw Errors.sourceFileSettings(files.describe(lines.split.file.path), BehindFirstPiece, null)
      false
    }

    override protected def records(split: FileSplit, lines: OpenLines): Fetched.Records[FileSplit, Line] =
      new Buffered(split, lines)

    override protected def position(split: FileSplit, open: Option[OpenLines]): String =
      s"byte ${open.fold(0L)(_ => reader.position)}"

    /** The lines that are complete in the buffer. */
    private final class Buffered(override val split: FileSplit, lines: OpenLines)
        extends Fetched.Records[FileSplit, Line]
        with Line {
      override def advance(): Boolean      = lines.next()
      override def record: Line            = this
      override def rest: Option[FileSplit] = split.rest(lines.passed)
      override def fileName: String        = files.describe(split.file.path)
      override def location: URI           = files.locate(split.file.path)
      override def bytes: Array[Byte]      = reader.bytes
      override def offset: Int             = reader.offset
      override def length: Int             = reader.length
      override def isHeader: Boolean       = lines.isHeader
      override def position: Option[Long]  = Some(reader.startOffset)
    }
  }
}

/** A line in the buffer of the reader. */
private[stoplog] trait Line extends Located {

  /** Valid until the next line. The line starts at `offset`, and has `length` bytes without its end. */
  def bytes: Array[Byte]
  def offset: Int
  def length: Int

  /** Whether the line is the header of the file. */
  def isHeader: Boolean = false
}
