// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.NonFatal

import stoplog.source.{Admitted, Budget, SplitSize}
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of blocks.
  *
  * The files are cut at any byte, because the readers can find the blocks of a piece. If a micro-batch is
  * limited to a number of rows, the driver reads the row counts of the blocks. Then the driver cuts between
  * two blocks.
  */
private[stoplog] final class Blocks(files: SourceFiles, index: Blocks.BlockIndex) extends FileSplitter {
  import Blocks.Block

  @transient private var known: Option[(SourceFile, Vector[Block])] = None

  override def whole(file: SourceFile): FileSplit = FileSplit(file, Extent.Bytes(0, file.bytes))

  override def admit(split: FileSplit, budget: Budget): Admitted[FileSplit] = split.extent match {
    case bytes: Extent.Bytes if budget.records.isEmpty => FileSplitter.ByteRanges.admit(split, bytes, budget)
    case bytes: Extent.Bytes                           =>
      blocks(split.file) match {
        case Some(all) => counted(split, bytes, budget, all)
        // The task reports the error of the file, with the position.
        case None => if (budget.isUnused) Admitted.All(split, split.size) else Admitted.Nothing()
      }
    case _ => Admitted.All(split, split.size)
  }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = split.extent match {
    case whole: Extent.Bytes => FileSplitter.ByteRanges.divide(split, whole, bytes)
    case _                   => Seq(split)
  }

  /** Each such file has a header or a footer. */
  override def canBeComplete(file: SourceFile): Boolean = file.bytes > 0

  override def units(split: FileSplit): Seq[FileSplit] = split.extent match {
    case bytes: Extent.Bytes =>
      val ours = index.ofDamaged(files, split.file).filter { block =>
        block.decides >= bytes.from && block.decides < bytes.until
      }
      val cuts = bytes.from +: ours.drop(1).map(_.begins) :+ bytes.until
      cuts.zip(cuts.drop(1)).map { case (from, until) => split.piece(from, until) }
    case _ => Nil
  }

  private def counted(
      split: FileSplit,
      bytes: Extent.Bytes,
      budget: Budget,
      all: Vector[Block]
  ): Admitted[FileSplit] = {
    val ours             = all.filter(block => block.decides >= bytes.from && block.decides < bytes.until)
    val rows             = ours.scanLeft(0L)(_ + _.rows).tail
    val ends             = ours.drop(1).map(_.begins) :+ bytes.until
    def size(count: Int) = SplitSize(ends(count - 1) - bytes.from, Some(rows(count - 1)))
    val fitting          = ours.indices.count(index => budget.holds(size(index + 1)))
    fitting.max(if (budget.isUnused) 1 else 0) match {
      case _ if ours.isEmpty          => Admitted.All(split, SplitSize(split.size.bytes, Some(0)))
      case 0                          => Admitted.Nothing()
      case count if count < ours.size =>
        FileSplitter.ByteRanges.cut(split, bytes, ends(count - 1), Some(rows(count - 1)))
      case count => Admitted.All(split, size(count))
    }
  }

  /** The last file is cached, because a file that is cut is admitted again at once. */
  private def blocks(file: SourceFile): Option[Vector[Block]] = known match {
    case _ if file.bytes == 0                      => Some(Vector.empty)
    case Some((same, blocks)) if same.isSame(file) => Some(blocks)
    case _                                         =>
      try {
        known = Some(file -> index.of(files, file))
        known.map(_._2)
      } catch { case NonFatal(_) => None }
  }
}

private[stoplog] object Blocks {

  /** Returns the blocks of a file: row groups, stripes, or blocks of Avro. */
  trait BlockIndex extends Serializable {

    /** Returns the blocks in file order. Any exception means unknown blocks. */
    def of(files: SourceFiles, file: SourceFile): Vector[Block]

    /** Returns the blocks of a damaged file, possibly with unknown numbers of rows. Runs in a task. */
    def ofDamaged(files: SourceFiles, file: SourceFile): Vector[Block] = of(files, file)
  }

  /** A block of rows, which are read together.
    *
    * @param begins  the offset of the first byte
    * @param decides an offset in the block: the piece of the file with this offset contains the block
    */
  final case class Block(begins: Long, decides: Long, rows: Long)
}
