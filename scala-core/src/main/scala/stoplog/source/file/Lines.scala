// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.FileNotFoundException

import scala.util.Using
import scala.util.control.NonFatal

import stoplog.error.{Causes, Errors, StoplogException}
import stoplog.source.{Admitted, Budget, RecordEmitter, SplitReader, SplitSize}
import stoplog.source.file.FileSplitter.Complete
import stoplog.storage.{Ending, SourceFile, SourceFiles}

/** Files of lines.
  *
  * @param rows makes rows from the lines, in a task
  * @param heading if files begin with a header
  * @param framing see [[FileSplit]]
  */
private[stoplog] final class LineFormat[T](
    decoding: Decoding,
    separator: LineReader.Separator,
    rows: () => RecordEmitter[Line, T],
    maxLineBytes: Int = LineReader.MaxLineBytes,
    heading: Option[Heading] = None,
    framing: Option[String] = None
) extends FileFormat[Line, T] {

  override def splitter(files: SourceFiles): FileSplitter =
    new Lines(files, decoding, separator, maxLineBytes, heading, framing)

  override def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, Line] =
    new OpenLines.LineSplitReader(
      files,
      decoding,
      new LineReader(separator, maxLineBytes),
      onMissing,
      monitoring,
      heading
    )

  override def emitter(): RecordEmitter[Line, T] = rows()
}

/** The first lines of files that begin with a header. */
private[stoplog] trait Heading extends Serializable {

  /** Whether a line, without its end, precedes the header, such as a comment. Called for the first lines. */
  def isBefore(bytes: Array[Byte], offset: Int, length: Int): Boolean
}

/** Cuts files of lines. Plain files are cut at any byte if the next line can be found from there, otherwise
  * at the start of a line. Compressed files are cut by the number of lines. No micro-batch ends before the
  * header of a file: only the reader of the start of the file knows the header, and any later line is a
  * record.
  *
  * Rows are counted by reading. If a micro-batch is limited to a number of rows, the driver searches for the
  * line ends before the tasks read the lines. The same applies to compressed files that have to be cut.
  */
private[stoplog] final class Lines(
    files: SourceFiles,
    decoding: Decoding,
    separator: LineReader.Separator,
    maxLineBytes: Int = LineReader.MaxLineBytes,
    heading: Option[Heading] = None,
    framing: Option[String] = None
) extends FileSplitter {
  @transient private lazy val reader                 = new LineReader(separator, maxLineBytes)
  @transient private var counting: Option[OpenLines] = None

  override def whole(file: SourceFile): FileSplit =
    if (isPlain(file)) FileSplit(file, Extent.Bytes(0, file.bytes), framing)
    else FileSplit(file, Extent.Records(0, Extent.ToTheEnd), framing)

  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = split.extent match {
    case bytes: Extent.Bytes if budget.records.isEmpty && separator.isSelfSynchronizing =>
      afterHeader(split, bytes, FileSplitter.ByteRanges.admit(split, bytes, budget))
    case _ if budget.records.isEmpty && fitsWhole(split, budget) => Admitted.All(split, split.size)
    case _                                                       =>
      // If the file is absent, the task detects and handles this, too.
      ifPresent(counted(split, budget)).getOrElse(Admitted.All(split, split.size))
  }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = split.extent match {
    case whole: Extent.Bytes if separator.isSelfSynchronizing && isPlain(split.file) =>
      FileSplitter.ByteRanges.divide(split, whole, bytes)
    case _ => Seq(split)
  }

  override def complete(file: SourceFile, until: Long): Option[Complete] =
    if (!isPlain(file)) None
    else
      ifPresent {
        val lines = Lines.complete(files, file, separator, until)
        if (lines.end == 0 || heading.forall(headerEnd(file, lines.end, _).isDefined)) lines
        else lines.copy(end = 0)
      }

  /** A compressed file without bytes has no end of its compressed data. */
  override def canBeComplete(file: SourceFile): Boolean = file.bytes > 0 || isPlain(file)

  override def close(): Unit = {
    counting.foreach(_.close())
    counting = None
  }

  /** Adds the file and the position to an error, except for an absent file. */
  private def withPosition[A](split: FileSplit)(action: => A): A =
    try action
    catch {
      case known: StoplogException  => throw known
      case e: FileNotFoundException => throw e
      case NonFatal(e)              =>
        throw Errors.sourceFileUnreadable(
          files.describe(split.file.path),
          s"byte ${reader.position}",
          Causes.message(e),
          e
        )
    }

  private def isPlain(file: SourceFile): Boolean = decoding.of(files, file).isEmpty

  /** Whether the split fits into the budget. The rest of a file cut by line number is of unknown size. */
  private def fitsWhole(split: FileSplit, budget: Budget): Boolean = split.extent match {
    case _: Extent.Records if !split.isFirst => false
    case _                                   => budget.bytes.forall(_ >= split.size.bytes)
  }

  /** Returns the result of reading a file, or `None` if the file is absent. */
  private def ifPresent[A](reading: => A): Option[A] =
    try Some(reading)
    catch {
      case _: FileNotFoundException =>
        close()
        None
    }

  /** Reads until the budget or the split is used up. */
  private def counted(split: FileSplit, budget: Budget): Admitted[FileSplit] = {
    val lines  = withPosition(split)(reading(split))
    var stored = 0L
    var count  = 0L
    def bytes  = lines.storedBytes - stored
    def full   =
      !lines.awaitsHeader && (budget.records.exists(count >= _) || budget.bytes.exists(bytes >= _))
    var more = true
    withPosition(split) {
      lines.begin() // the bytes before belong to no task of this micro-batch
      stored = lines.storedBytes
      while (more && !full)
        if (lines.next()) count += 1
        else more = lines.fill()
    }
    val size = SplitSize(bytes, Some(count))
    if (!more || lines.isAtEnd) {
      close()
      Admitted.All(split, size)
    } else cut(split, lines.passed, size)
  }

  private def cut(split: FileSplit, at: Long, size: SplitSize): Admitted[FileSplit] = split.extent match {
    case bytes: Extent.Bytes => FileSplitter.ByteRanges.cut(split, bytes, at, size.records)
    case _: Extent.Records   => split.cut(at, size)
  }

  /** Moves the cut of the start of a file to the end of the header. */
  private def afterHeader(
      split: FileSplit,
      bytes: Extent.Bytes,
      admitted: Admitted[FileSplit]
  ): Admitted[FileSplit] = (admitted, heading) match {
    case (Admitted.Part(start, _, _), Some(lines)) if split.isFirst =>
      val header = ifPresent(withPosition(split)(headerEnd(split.file, bytes.until, lines)))
      val at     = header.fold(start.extent.until)(_.getOrElse(bytes.until)).max(start.extent.until)
      if (at >= bytes.until) Admitted.All(split, split.size)
      else FileSplitter.ByteRanges.cut(split, bytes, at, None)
    case _ => admitted
  }

  /** Returns the end of the header of a plain file. `None` if no line of the header starts before `until`. */
  private def headerEnd(file: SourceFile, until: Long, heading: Heading): Option[Long] = {
    val lines = new LineReader(separator, maxLineBytes) // the other reader may be in another file
    val split = FileSplit(file, Extent.Bytes(0, until))
    Using.resource(new OpenLines(files, decoding, lines, split, Some(heading))) { open =>
      var more = true
      while (more && open.awaitsHeader) more = open.next() || open.fill()
      Option.when(!open.awaitsHeader)(open.passed)
    }
  }

  /** Continues the open reading if the last call stopped at the start of this split. Otherwise a compressed
    * file would be read from the start again.
    */
  private def reading(split: FileSplit): OpenLines = counting match {
    case Some(lines) if lines.split.file.isSame(split.file) && lines.passed == split.extent.from => lines
    case _                                                                                       =>
      close()
      val lines = new OpenLines(files, decoding, reader, split, heading)
      counting = Some(lines)
      lines
  }
}

private object Lines {

  /** Returns the end of the last whole line. Searches backwards from the end of the file.
    *
    * @param until the maximum offset to read
    */
  def complete(
      files: SourceFiles,
      file: SourceFile,
      separator: LineReader.Separator,
      until: Long
  ): Complete = {

    @scala.annotation.tailrec
    def before(end: Long, ending: Ending): Complete =
      if (end <= 0) Complete(0, ending)
      else {
        val from = (end - Ending.Bytes).max(0L)
        // A separator may span the border of two blocks.
        val block = read(files, file, from, (end + separator.lookBack).min(until))
        val known = if (end == until) Ending.of(block) else ending
        val found = lastEndIn(block, separator)
        if (found >= 0) Complete(from + found, known) else before(from, known)
      }

    before(until, Ending.Unknown)
  }

  /** Returns the offset after the last separator, or -1 without a separator. */
  private def lastEndIn(block: Array[Byte], separator: LineReader.Separator): Int = separator match {
    // A carriage return at the very end may be half of a line end, which depends on the next byte.
    case LineReader.Separator.AnyLineEnd =>
      val at = block.indices.lastIndexWhere { index =>
        block(index) == '\n' || (block(index) == '\r' && index < block.length - 1)
      }
      if (at < 0) -1 else at + 1
    case LineReader.Separator.Text(text) =>
      block.lastIndexOfSlice(text) match {
        case -1 => -1
        case at => at + text.size
      }
  }

  private def read(files: SourceFiles, file: SourceFile, from: Long, until: Long): Array[Byte] =
    Using.resource(files.open(file, from))(_.readNBytes((until - from).toInt))
}
