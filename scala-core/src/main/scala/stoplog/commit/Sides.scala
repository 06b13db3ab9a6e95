// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import scala.util.Using

import stoplog.fault.{Faults, Step}
import stoplog.part.{Beside, SideFile}
import stoplog.storage.{NewPart, SpoolFiles}

/** Writes what parts leave beside them: one file for each part and epoch.
  *
  * Small files are put together now and then, a fixed number of one level into one of the next. So a part has at most
  * a few dozen however many epochs it takes to fill a block, and a row is copied once a level, which is a logarithm.
  *
  * @param together as many files of one level become one of the next; at least 2
  */
final class Sides(store: SpoolFiles, faults: Faults, together: Int = Sides.Together) {

  /** Writes the rows beside the part, and answers the files that are beside it from now on; durable. */
  def write(part: NewPart, earlier: Beside, left: Leftover): Beside = {
    val files = left.rows match {
      case LeftoverRows.None             => Vector.empty
      case LeftoverRows.Instead(writeTo) => Vector(written(part, level = 0)(writeTo))
      case LeftoverRows.More(writeTo)    =>
        val (kept, merged) =
          earlier.files.splitAt(earlier.files.size - Sides.mergeable(earlier.files, together))
        kept :+ written(part, merged.headOption.fold(0)(_.level + 1)) { out =>
          merged.foreach(file => Using.resource(store.read(file))(_.transferTo(out)))
          writeTo(out)
        }
    }
    Beside(left.note, files, left.storageBytes)
  }

  private def written(part: NewPart, level: Int)(content: OutputStream => Unit): SideFile = {
    var size  = 0L
    val token = store.write(part) { out =>
      val counted = new Sides.Counted(out)
      content(counted)
      size = counted.bytes
    }
    faults.at(Step.SideWritten)
    SideFile(token, size, level)
  }
}

object Sides {

  private[commit] val Together = 16

  /** How many of the last files are to be put together with the one that comes. */
  private[commit] def mergeable(files: Vector[SideFile], together: Int): Int = {
    @scala.annotation.tailrec
    def from(count: Int, level: Int): Int = {
      val same = files.reverseIterator.drop(count).takeWhile(_.level == level).size
      if (same >= together - 1) from(count + same, level + 1) else count
    }
    from(count = 0, level = 0)
  }

  private final class Counted(out: OutputStream) extends OutputStream {
    var bytes = 0L

    override def write(byte: Int): Unit = {
      out.write(byte)
      bytes += 1
    }

    override def write(from: Array[Byte], offset: Int, count: Int): Unit = {
      out.write(from, offset, count)
      bytes += count
    }
  }
}
