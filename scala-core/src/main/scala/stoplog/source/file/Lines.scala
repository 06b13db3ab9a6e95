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
  * @param rows makes rows of them, in a task
  */
private[stoplog] final class LineFormat[T](
    decoding: Decoding,
    separator: LineReader.Separator,
    rows: () => RecordEmitter[Line, T]
) extends FileFormat[Line, T] {

  override def framing(files: SourceFiles): FileSplitter = new Lines(files, decoding, separator)

  override def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      onChanged: Monitoring.OnChangedFile
  ): SplitReader[FileSplit, Line] =
    new OpenLines.LineSplitReader(files, decoding, separator, onMissing, onChanged)

  override def emitter(): RecordEmitter[Line, T] = rows()
}

/** Files of lines: plain ones are cut by bytes, at any of them where that leads to a line, else where one begins;
  * compressed ones by the number of their lines.
  *
  * Rows are counted by reading: where a micro-batch is limited to a number of rows, the driver looks for the ends of its
  * lines before the tasks read them. The same goes for a compressed file that has to be cut.
  */
private[stoplog] final class Lines(files: SourceFiles, decoding: Decoding, separator: LineReader.Separator)
    extends FileSplitter {
  @transient private lazy val reader                 = new LineReader(separator)
  @transient private var counting: Option[OpenLines] = None

  override def whole(file: SourceFile): FileSplit =
    if (isPlain(file)) FileSplit(file, Extent.Bytes(0, file.bytes))
    else FileSplit(file, Extent.Records(0, Extent.ToTheEnd))

  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = split.extent match {
    case bytes: Extent.Bytes if budget.records.isEmpty && separator.isSelfSynchronizing =>
      FileSplitter.ByteRanges.admit(split, bytes, budget)
    case _ if budget.records.isEmpty && fitsWhole(split, budget) => Admitted.All(split, split.size)
    case _                                                       =>
      // The task that reads it finds it gone, too, and knows what is to be done then.
      thereIs(counted(split, budget)).getOrElse(Admitted.All(split, split.size))
  }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = split.extent match {
    case whole: Extent.Bytes if separator.isSelfSynchronizing =>
      FileSplitter.ByteRanges.divide(split, whole, bytes)
    case _ => Seq(split)
  }

  override def complete(file: SourceFile, until: Long): Option[Complete] =
    if (isPlain(file)) thereIs(Lines.complete(files, file, separator, until)) else None

  override def close(): Unit = {
    counting.foreach(_.close())
    counting = None
  }

  /** Tells the file and the position, except of a file that is gone. */
  private def told[A](split: FileSplit)(action: => A): A =
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

  /** Whether it fits as it is. The rest of a file that is cut by number is of unknown size. */
  private def fitsWhole(split: FileSplit, budget: Budget): Boolean = split.extent match {
    case _: Extent.Records if !split.isFirst => false
    case _                                   => budget.bytes.forall(_ >= split.size.bytes)
  }

  /** What reading a file answers; none if the file is gone. */
  private def thereIs[A](reading: => A): Option[A] =
    try Some(reading)
    catch {
      case _: FileNotFoundException =>
        close()
        None
    }

  /** Reads until the budget is used up, or the split. */
  private def counted(split: FileSplit, budget: Budget): Admitted[FileSplit] = {
    val lines  = told(split)(reading(split))
    var stored = 0L
    var count  = 0L
    def bytes  = lines.storedBytes - stored
    def full   = budget.records.exists(count >= _) || budget.bytes.exists(bytes >= _)
    var more   = true
    told(split) {
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

  /** Goes on where the last call stopped, if it was here: else a compressed file would be read from its beginning. */
  private def reading(split: FileSplit): OpenLines = counting match {
    case Some(lines) if lines.split.file.isSame(split.file) && lines.passed == split.extent.from => lines
    case _                                                                                       =>
      close()
      val lines = new OpenLines(files, decoding, reader, split)
      counting = Some(lines)
      lines
  }
}

private object Lines {

  /** The end of the last whole line, which is found from the end of the file backwards.
    *
    * @param until only the bytes before it are looked at
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
        // A separator may lie across the border of two blocks.
        val block = read(files, file, from, (end + separator.lookBack).min(until))
        val known = if (end == until) Ending.of(block) else ending
        val found = lastEndIn(block, separator)
        if (found >= 0) Complete(from + found, known) else before(from, known)
      }

    before(until, Ending.Unknown)
  }

  /** Behind the last separator; -1 if there is none. */
  private def lastEndIn(block: Array[Byte], separator: LineReader.Separator): Int = separator match {
    // A carriage return at the very end may be half of a line end: the next byte will tell.
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
