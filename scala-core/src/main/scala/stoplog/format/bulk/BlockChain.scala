// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.part.BlockOutput
import stoplog.commit.PartBuffer

/** The blocks of one part, from the first to the end of the file.
  *
  * @param began the directory of the blocks that earlier epochs have written
  */
private[bulk] final class BlockChain(written: Written, began: Array[Byte], end: PartBuffer) {
  private[this] var directory = began
  private[this] val out       = new PartBlocks(end)

  /** What whoever goes on with the part has to know. */
  def header: SideFrames.Header = SideFrames.Header(written.description, directory)

  def begin(): OpenBlock =
    new OpenBlock(written.format.block(out, directory), written.format.blockBytes)

  /** Writes the block, and learns from it how rows shrink. */
  def finish(block: OpenBlock): Unit = {
    val start = end.position
    directory = block.finish()
    if (block.rawBytes > 0)
      Ratios.learn(written.description, Ratios.of(block.rawBytes, block.bufferedBytes, end.position - start))
  }

  /** Writes what comes after the last block. */
  def close(): Unit = written.format.end(out, directory)
}

/** A format, and the rows it writes, as they can be written down.
  *
  * @param description see [[BulkFormats.of]]
  */
private[bulk] final case class Written(format: BulkFormat, schema: StructType, description: String) {

  /** How rows shrink; learned in this process, or supposed. */
  def ratios: Ratios = Ratios.learned(description).getOrElse(Ratios.unknown)

  def isUnknown: Boolean = Ratios.learned(description).isEmpty

  /** Learns from a few rows, by a block that is thrown away. */
  def probe(rows: Iterator[UnsafeRow]): Unit = {
    val nowhere = new NullOutput
    val block   = new OpenBlock(format.block(nowhere, Array.emptyByteArray), Long.MaxValue)
    try {
      rows.foreach(row => block.write(row, row.getSizeInBytes))
      block.finish()
    } finally block.close()
    if (block.rawBytes > 0)
      Ratios.learn(description, Ratios.of(block.rawBytes, block.bufferedBytes, nowhere.position))
  }

  /** How many bytes of rows there must be before it is worth a look: enough to learn from, if nothing is known. */
  def firstLook: Long = if (isUnknown) blockRawBytes.min(Written.EnoughToLearnBytes) else blockRawBytes

  /** A block of this format has about as many bytes of rows. */
  def blockRawBytes: Long = (format.blockBytes / ratios.block).toLong.max(1)
}

private[bulk] object Written {
  private final val EnoughToLearnBytes = 1L << 20
}

private[bulk] final class PartBlocks(end: PartBuffer) extends BlockOutput {
  override def position: Long                                          = end.position
  override def write(byte: Int): Unit                                  = end.write(byte)
  override def write(from: Array[Byte], offset: Int, count: Int): Unit = end.write(from, offset, count)
}
