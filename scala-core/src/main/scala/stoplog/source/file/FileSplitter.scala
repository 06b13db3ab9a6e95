// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.NonFatal

import stoplog.source.{Admitted, Budget, SplitSize}
import stoplog.storage.{Ending, SourceFile}

/** The positions at which files of a format can be cut. On the driver, except [[divide]]. */
private[stoplog] trait FileSplitter extends Serializable {

  /** All of a file. */
  def whole(file: SourceFile): FileSplit

  /** As much of a split as the budget allows. */
  def admit(split: FileSplit, budget: Budget): Admitted[FileSplit]

  /** The same records in pieces of about so many bytes. */
  def divide(split: FileSplit, bytes: Long): Seq[FileSplit]

  /** The whole records of a file to which programs add; none for a format, or a file, to which they cannot.
    *
    * @param until not further than this
    */
  def complete(file: SourceFile, until: Long): Option[FileSplitter.Complete] = None

  def close(): Unit = ()
}

private[stoplog] object FileSplitter {

  /** @param end    of the last whole record
    * @param ending of the bytes that were looked at
    */
  final case class Complete(end: Long, ending: Ending)

  /** Another splitter, with a rule of its own. */
  sealed abstract class Wrapped(splitter: FileSplitter) extends FileSplitter {
    override def whole(file: SourceFile): FileSplit                        = splitter.whole(file)
    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit]     = splitter.divide(split, bytes)
    override def complete(file: SourceFile, until: Long): Option[Complete] = splitter.complete(file, until)
    override def close(): Unit                                             = splitter.close()
  }

  /** Takes all that is left of a file of which the splitter cannot tell where it could be cut: the task that reads it
    * finds out its fault.
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

  /** Cuts only the files that a finder lets be cut. */
  final class Chosen(splitter: FileSplitter, finder: FileFinder) extends Wrapped(splitter) {
    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] =
      if (finder.isSplittable(split.file)) splitter.admit(split, budget)
      else if (budget.holds(split.size)) Admitted.All(split, split.size)
      else Admitted.Nothing()

    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] =
      if (finder.isSplittable(split.file)) splitter.divide(split, bytes) else Seq(split)
  }

  /** Each file is one split: a format, or files, in which nothing but reading leads anywhere.
    *
    * @param rows that each has, where that is known: else a file fits no limit of rows, and is a micro-batch of its own
    */
  final case class WholeFiles(rows: Option[Long]) extends FileSplitter {
    override def whole(file: SourceFile): FileSplit = FileSplit(file, Extent.Records(0, Extent.ToTheEnd))

    override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = {
      val size = SplitSize(split.file.bytes, rows)
      if (budget.holds(size)) Admitted.All(split, size) else Admitted.Nothing()
    }

    override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = Seq(split)
  }

  /** Cuts by bytes alone, for formats whose readers find the first record of a piece by themselves. */
  object ByteRanges {

    /** As much of these bytes as the budget allows. A piece that is too small to be worth its own way is left. */
    def admit(split: FileSplit, bytes: Extent.Bytes, budget: Budget): Admitted[FileSplit] =
      budget.bytes match {
        case Some(left) if left < bytes.until - bytes.from =>
          val small = budget.usedBytes > 0 && left < SmallestPiece
          if (small) Admitted.Nothing() else cut(split, bytes, bytes.from + left.max(1), None)
        case _ => Admitted.All(split, split.size)
      }

    /** In two, at an offset. */
    def cut(split: FileSplit, bytes: Extent.Bytes, at: Long, records: Option[Long]): Admitted[FileSplit] =
      split.cut(at, SplitSize(at - bytes.from, records))

    /** In pieces of equal size. */
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
