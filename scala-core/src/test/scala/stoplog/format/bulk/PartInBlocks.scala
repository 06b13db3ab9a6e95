// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import stoplog.part.BlockOutput

/** A part in memory, as far as it has been written, and what its last block answered. */
final case class PartInBlocks(bytes: Array[Byte] = Array.empty, directory: Array[Byte] = Array.empty) {

  /** With one more block, of which nothing is seen before it is finished. */
  def block(format: BlockFormat, rows: Iterable[InternalRow]): PartInBlocks = {
    val out    = new GrowingPart.End(bytes)
    val writer = format.block(out, directory)
    try {
      rows.foreach(writer.write)
      assert(out.position == bytes.length)
      val answer = writer.finish()
      PartInBlocks(out.bytes, answer)
    } finally writer.close()
  }

  /** The whole file. */
  def ended(format: BlockFormat): Array[Byte] = {
    val out = new GrowingPart.End(bytes)
    format.end(out, directory)
    out.bytes
  }
}

object PartInBlocks {

  /** A whole file of blocks that end where they are full. */
  def fill(format: BlockFormat, rows: Iterator[InternalRow], out: BlockOutput): Unit = {
    var directory = Array.emptyByteArray
    while (rows.hasNext) {
      val writer = format.block(out, directory)
      try {
        while (rows.hasNext && writer.bufferedBytes < format.blockBytes) writer.write(rows.next())
        directory = writer.finish()
      } finally writer.close()
    }
    format.end(out, directory)
  }
}
