// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.NonFatal

import stoplog.error.{Errors, StoplogException}
import stoplog.source.{Admitted, Budget, SplitSize}
import stoplog.storage.{Ending, SourceFile}

/** The positions at which files of a format can be cut. Runs on the driver, except [[divide]]. */
private[stoplog] trait FileSplitter extends Serializable {

  /** Returns a split of the whole file. */
  def whole(file: SourceFile): FileSplit

  /** Returns the part of a split that fits into the budget. */
  def admit(split: FileSplit, budget: Budget): Admitted[FileSplit]

  /** Returns the same records in pieces of about this number of bytes. */
  def divide(split: FileSplit, bytes: Long): Seq[FileSplit]

  /** Returns a planned split as the reader of this format finds it. The split may have been planned with
    * another `charset`, `lineSep` or `multiLine`, so that its bytes or records are counted otherwise. A whole
    * file is then read with the current settings. `None` for a piece, which the reader would not find.
    */
  def current(split: FileSplit): Option[FileSplit] = {
    val now    = whole(split.file)
    val isSame = now.extent.getClass == split.extent.getClass && now.framing == split.framing
    if (isSame) Some(split) else Option.when(split.isWhole)(now)
  }

  /** Returns the same records in the smallest pieces that can be read independently, so that damage in one
    * piece leaves the others readable. Empty, and by default, if no such pieces are known. Runs in a task,
    * after the file could not be read.
    */
  def units(split: FileSplit): Seq[FileSplit] = Nil

  /** Returns the whole records of a file that programs append to. `None` if programs cannot append to the
    * format or the file.
    *
    * @param until the maximum offset to read
    */
  def complete(file: SourceFile, until: Long): Option[FileSplitter.Complete] = None

  /** Whether a file of the listed length can be complete. False for an empty file of a format whose files
    * always have bytes: a program has created the file and not written its data yet.
    */
  def canBeComplete(file: SourceFile): Boolean = true

  def close(): Unit = ()
}

private[stoplog] object FileSplitter {

  /** @param end    the end of the last whole record
    * @param ending of the bytes read
    */
  final case class Complete(end: Long, ending: Ending)

  /** Returns the error of a piece that [[FileSplitter.current]] does not find, or of a note about it. */
  def otherSettings(fileName: String, cause: String): StoplogException = Errors.sourceFileSettings(
    fileName,
    s"$cause with another charset, lineSep or multiLine: set the former value",
    null
  )

  /** A splitter with an additional rule. */
  sealed abstract class Wrapped(splitter: FileSplitter) extends FileSplitter {
    override def whole(file: SourceFile): FileSplit                        = splitter.whole(file)
    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit]     = splitter.divide(split, bytes)
    override def current(split: FileSplit): Option[FileSplit]              = splitter.current(split)
    override def units(split: FileSplit): Seq[FileSplit]                   = splitter.units(split)
    override def complete(file: SourceFile, until: Long): Option[Complete] = splitter.complete(file, until)
    override def canBeComplete(file: SourceFile): Boolean                  = splitter.canBeComplete(file)
    override def close(): Unit                                             = splitter.close()
  }

  /** Admits the whole rest of a file if the splitter fails to find a cut. The task that reads the file then
    * reports the error.
    */
  final class Lenient(splitter: FileSplitter) extends Wrapped(splitter) {
    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
      try splitter.admit(split, budget)
      catch {
        case NonFatal(_) =>
          splitter.close()
          Admitted.All(split, split.size)
      }
  }

  /** Cuts only the files declared as splittable by a finder. */
  final class Chosen(splitter: FileSplitter, finder: FileFinder) extends Wrapped(splitter) {
    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
      if (finder.isSplittable(split.file)) splitter.admit(split, budget)
      else if (budget.holds(split.size)) Admitted.All(split, split.size)
      else Admitted.Nothing()

    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
      if (finder.isSplittable(split.file)) splitter.divide(split, bytes) else Seq(split)
  }

  /** Each file is one split, for formats or files that can only be read sequentially.
    *
    * @param rows the number of rows of each file, if known. Otherwise a file fits no limit of rows and is a
    *   micro-batch by itself
    */
  final case class WholeFiles(rows: Option[Long]) extends FileSplitter {
    override def whole(file: SourceFile): FileSplit = FileSplit(file, Extent.Records(0, Extent.ToTheEnd))

    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = {
      val size = SplitSize(split.file.bytes, rows)
      if (budget.holds(size)) Admitted.All(split, size) else Admitted.Nothing()
    }

    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = Seq(split)

    /** The reader of any piece, also of compressed lines, would read the whole file. */
    override def current(split: FileSplit): Option[FileSplit] = Option.when(split.isWhole)(whole(split.file))
  }

  /** Cuts at any byte, for formats whose readers find the first record of a piece. */
  object ByteRanges {

    /** Returns the part of these bytes that fits into the budget. Does not cut off a piece too small to be
      * worthwhile.
      */
    def admit(split: FileSplit, bytes: Extent.Bytes, budget: Budget): Admitted[FileSplit] =
      budget.bytes match {
        case Some(left) if left < bytes.until - bytes.from =>
          val small = budget.usedBytes > 0 && left < SmallestPiece
          if (small) Admitted.Nothing() else cut(split, bytes, bytes.from + left.max(1), None)
        case _ => Admitted.All(split, split.size)
      }

    /** Cuts the split in two, at an offset. */
    def cut(split: FileSplit, bytes: Extent.Bytes, at: Long, records: Option[Long]): Admitted[FileSplit] =
      split.cut(at, SplitSize(at - bytes.from, records))

    /** Divides the bytes into pieces of equal size. */
    def divide(split: FileSplit, bytes: Extent.Bytes, size: Long): Seq[FileSplit] = {
      val total  = bytes.until - bytes.from
      val pieces = ((total + size - 1) / size).max(1)
      (0L until pieces).map { index =>
        split.piece(bytes.from + total * index / pieces, bytes.from + total * (index + 1) / pieces)
      }
    }

    private final val SmallestPiece = 256 * 1024
  }
}
