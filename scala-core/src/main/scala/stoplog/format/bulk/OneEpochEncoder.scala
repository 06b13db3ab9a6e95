// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.writing.{BadRow, PartBuffer, PartEncoder, Unflushed, UnflushedRows}

/** The rows of a part that ends with its epoch. Rows are written on arrival and never wait. */
private[bulk] final class OneEpochEncoder(end: PartBuffer, parts: BulkParts)
    extends PartEncoder[InternalRow] {
  import OneEpochEncoder.CountBytes

  private[this] val chain    = new BlockChain(parts.sink, Array.emptyByteArray, end)
  private[this] val ratios   = parts.sink.blockSizes.ratios
  private[this] var open     = Option.empty[OpenBlock]
  private[this] var before   = 0L // bytes of the part before the open block
  private[this] var counted  = 0L
  private[this] var countRaw = 0L // the next bytes of rows at which the block is measured

  override def append(row: InternalRow): Unit = {
    val unsafe = parts.unsafe(row)
    val block  = open match {
      case Some(begun) => begun
      case None        => beginBlock()
    }
    try block.write(unsafe, unsafe.getSizeInBytes)
    catch {
      case bad: BadRow => throw bad
      case NonFatal(e) => throw new BadRow(e)
    }
    if (block.isFull) endBlock()
    else if (block.rawBytes >= countRaw) {
      countRaw = block.rawBytes + CountBytes
      count(block.estimatedBytes)
    }
  }

  /** The last measured size of the open block. */
  private[bulk] def blockBytes: Long = counted

  /** The size at the last measurement, unless a user-defined writer has since written more of the block. */
  override def sizeBytes: Long = open.fold(end.position) { block =>
    end.position.max(before + (block.bufferedBytes / ratios.block * ratios.storage).toLong)
  }

  /** Ends the block, although short, because the part does not end with its epoch after all. */
  override def pause(): Unflushed = {
    endBlock()
    val header = chain.header(LastEpoch.Small)
    Unflushed(note = "0", UnflushedRows.Instead(SpoolFrames.write(header, _)), storageBytes = 0)
  }

  override def finish(): Unit = {
    endBlock()
    chain.close()
  }

  override def close(): Unit = {
    val block = open
    open = None
    count(0)
    block.foreach(_.close())
  }

  private[bulk] def endBlock(): Unit = {
    open.foreach(chain.finish)
    open = None
    countRaw = 0
    count(0)
  }

  private def beginBlock(): OpenBlock = {
    before = end.position
    val begun = chain.begin()
    open = Some(begun)
    begun
  }

  private def count(now: Long): Unit = if (now != counted) {
    val was = counted
    counted = now
    parts.counts(this, was, now)
  }
}

private object OneEpochEncoder {
  private final val CountBytes = 64L << 10
}
