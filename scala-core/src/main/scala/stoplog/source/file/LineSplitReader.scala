// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.net.URI

import stoplog.source.Fetched
import stoplog.storage.SourceFiles

/** A line in the buffer that it was read into. */
trait Line extends Located {

  /** Valid until the next line. The line is at `offset`, and has `length` bytes without its end. */
  def bytes: Array[Byte]
  def offset: Int
  def length: Int
}

/** Reads the lines of files, all into one buffer.
  *
  * @param onMissing what becomes of a file that is no longer there
  */
final class LineSplitReader(
    files: SourceFiles,
    decoding: Decoding,
    separator: Separator,
    onMissing: OnMissingFile
) extends FileByFile[OpenLines, Line](files, onMissing) {
  private val reader = new LineReader(separator)

  override protected def begin(split: FileSplit): OpenLines = new OpenLines(files, decoding, reader, split)

  override protected def hasMore(lines: OpenLines): Boolean = lines.fill()

  override protected def records(split: FileSplit, lines: OpenLines): Fetched.Records[FileSplit, Line] =
    new Buffered(split, lines)

  override protected def position(split: FileSplit, open: Option[OpenLines]): String =
    s"byte ${open.fold(0L)(_ => reader.position)}"

  /** What is whole in the buffer. */
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
    override def position: Option[Long]  = Some(reader.startOffset)
  }
}
