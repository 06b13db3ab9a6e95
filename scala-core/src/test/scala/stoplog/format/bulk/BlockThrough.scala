// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.part.BlockOutput

/** Lines whose blocks a test changes or counts.
  *
  * @param through takes each block that begins, and answers the one to write to
  */
class LinesThrough(blockBytes: Long, name: String)(through: BlockWriter => BlockWriter)
    extends LineBlocks(blockBytes) {
  override def describe: String = name

  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter =
    through(super.block(out, directory))
}

/** A block that another one writes, for tests that change or count some of it. */
class BlockThrough(to: BlockWriter) extends BlockWriter {
  override def write(row: InternalRow): Unit = to.write(row)
  override def bufferedBytes: Long           = to.bufferedBytes
  override def finish(): Array[Byte]         = to.finish()
  override def close(): Unit                 = to.close()
}
