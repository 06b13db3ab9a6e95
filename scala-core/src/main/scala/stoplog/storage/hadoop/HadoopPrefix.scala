// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.InputStream
import java.util.Arrays

import scala.util.Using

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.PartOutput

/** The first bytes of a file, and what can be done with them by reading. */
private[storage] object HadoopPrefix {

  /** Error: `STOPLOG_PART_SHORT` when there are fewer. */
  def copy(files: HadoopFiles, from: Path, validBytes: Long, to: PartOutput): Unit =
    Using.resource(files.fileSystem.open(from))(copy(_, from, validBytes, to))

  /** The same from a stream that is at the beginning of the file. */
  def copy(in: InputStream, from: Path, validBytes: Long, to: PartOutput): Unit = {
    val buffer = new Array[Byte](BufferBytes)
    while (to.position < validBytes) {
      val got = in.readNBytes(buffer, 0, (validBytes - to.position).min(BufferBytes.toLong).toInt)
      if (got == 0) throw Errors.partShort(from.toString, to.position, validBytes)
      to.write(buffer, 0, got)
    }
  }

  /** Whether both hold the same bytes. */
  def same(files: HadoopFiles, one: Path, other: Path): Boolean = {
    def statuses = Seq(one, other).map(files.fileSystem.getFileStatus)
    statuses.forall(_.isFile) && statuses.map(_.getLen).distinct.sizeIs == 1 &&
    Using.resources(files.fileSystem.open(one), files.fileSystem.open(other))(same(_, _))
  }

  private def same(one: InputStream, other: InputStream): Boolean = Iterator
    .continually((one.readNBytes(BufferBytes), other.readNBytes(BufferBytes)))
    .takeWhile { case (left, right) => left.nonEmpty || right.nonEmpty }
    .forall { case (left, right) => Arrays.equals(left, right) }

  private val BufferBytes = 128 << 10
}
