// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.{BadRow, PartBuffer, PartEncoder, Unflushed, UnflushedRows}

/** The rows of a part that ends with its epoch: written as they come, with nothing to wait for. */
private[bulk] final class DirectBody(end: PartBuffer, parts: BulkParts) extends PartEncoder[InternalRow] {
  private[this] val chain  = new BlockChain(parts.written, Array.emptyByteArray, end)
  private[this] val ratios = parts.written.ratios
  private[this] var open   = Option.empty[OpenBlock]

  override def append(row: InternalRow): Unit = {
    val unsafe = parts.unsafe(row)
    val block  = open.getOrElse {
      val begun = chain.begin()
      open = Some(begun)
      begun
    }
    BadRow.unless(block.write(unsafe, unsafe.getSizeInBytes))
    if (block.isFull) endBlock()
  }

  /** As of the last time that the block was looked at. */
  override def sizeBytes: Long =
    end.position + open.fold(0L)(block => (block.bufferedBytes / ratios.block * ratios.storage).toLong)

  /** If the part does not end after all, it goes on behind a block that is as short as its epoch. */
  override def pause(): Unflushed = {
    endBlock()
    val header = chain.header
    Unflushed(note = "0", UnflushedRows.Instead(SideFrames.write(header, _)), storageBytes = 0)
  }

  override def finish(): Unit = {
    endBlock()
    chain.close()
  }

  override def close(): Unit = {
    open.foreach(_.close())
    open = None
  }

  private def endBlock(): Unit = {
    open.foreach(chain.finish)
    open = None
  }
}
