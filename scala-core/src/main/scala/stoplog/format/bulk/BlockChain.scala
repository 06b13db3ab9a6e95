// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.PartBuffer
import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.part.BlockOutput

/** The blocks of one part, from the first to the end of the file.
  *
  * @param began the directory of the blocks that earlier epochs have written
  */
private[bulk] final class BlockChain(sink: BulkSink, began: Array[Byte], end: PartBuffer) {
  import BlockChain.PartBlocks

  private[this] var directory = began
  private[this] val out       = new PartBlocks(end)

  /** The facts that the next writer of the part needs. */
  def header(last: LastEpoch): SpoolFrames.Header = SpoolFrames.Header(sink.description, directory, last)

  def begin(): OpenBlock =
    new OpenBlock(sink.format.block(out, directory), sink.format.blockBytes, sink.format.largeBytes)

  /** Writes the block, and learns from it how rows shrink. */
  def finish(block: OpenBlock): Unit = {
    val start = end.position
    directory = block.finish()
    if (sink.learnsFrom(block.rawBytes))
      OpenBlock.Ratios.learn(sink.description, OpenBlock.Ratios.of(block, end.position - start))
  }

  /** Writes the end of the part, after the last block. */
  def close(): Unit = sink.format.end(out, directory)
}

private[bulk] object BlockChain {

  /** The end of a part for a format, which may neither flush nor close it. */
  final class PartBlocks(end: PartBuffer) extends BlockOutput {
    override def position: Long                                          = end.position
    override def write(byte: Int): Unit                                  = end.write(byte)
    override def write(from: Array[Byte], offset: Int, count: Int): Unit = end.write(from, offset, count)
  }
}

/** A block that is being filled.
  *
  * @param largeBytes see [[BulkFormat.largeBytes]]
  */
private[bulk] final class OpenBlock(writer: BlockWriter, blockBytes: Long, largeBytes: Long)
    extends AutoCloseable {
  import OpenBlock._

  private[this] val looks     = new SizeLooks(blockBytes)
  private[this] var buffered  = 0L
  private[this] var encoded   = 0L
  private[this] var lookedRaw = 0L
  private[this] var isGivenUp = false

  /** Bytes of its rows in memory. */
  def rawBytes: Long = looks.rawBytes

  /** Bytes in it, as the format measures them, when it was last looked at. */
  def bufferedBytes: Long = buffered

  /** Bytes in it by now, if those rows that came since the last look are like the others. */
  def estimatedBytes: Long =
    if (buffered == 0) rawBytes else (buffered.toDouble / lookedRaw * rawBytes).toLong

  /** Bytes in it as encoded and before compression, when it was last looked at. */
  def encodedBytes: Long = encoded

  /** Never without a row, whatever its size is to be: or there would be no end of blocks. */
  def isFull: Boolean = looks.rows > 0 && buffered >= blockBytes

  /** Whether the block is full enough to be ended before there are more rows. */
  def isNearlyFull: Boolean = looks.rows > 0 && buffered >= blockBytes * NearlyFull

  /** Whether the rows of this epoch alone make the block large, so that it need not wait for those of others.
    *
    * @param earlierRaw bytes of those of its rows that earlier epochs have brought
    */
  def isLarge(earlierRaw: Long): Boolean =
    encoded >= largeBytes && encoded.toDouble * (rawBytes - earlierRaw) / rawBytes >= largeBytes.toDouble

  def write(row: InternalRow, rowBytes: Int): Unit = {
    writer.write(row)
    if (looks.isDueWith(rowBytes.toLong)) measure()
  }

  def measure(): Unit = if (looks.rows > 0) {
    buffered = writer.bufferedBytes
    encoded = writer.encodedBytes
    lookedRaw = rawBytes
    looks.looked(buffered)
  }

  /** The part's new directory. */
  def finish(): Array[Byte] = {
    if (isGivenUp) throw new IllegalStateException("A block that was given up cannot be written.")
    measure()
    try writer.finish()
    finally writer.close()
  }

  /** Gives the block up, if it is not finished. */
  override def close(): Unit = {
    isGivenUp = true
    writer.close()
  }
}

private[bulk] object OpenBlock {
  private final val NearlyFull = 0.95

  /** The factors by which rows shrink on their way to storage; learned from the last block that was written.
    *
    * @param block   bytes in a block, as [[BlockWriter.bufferedBytes]] counts them, for each byte of a row
    * @param encoded bytes in a block, as [[BlockWriter.encodedBytes]] counts them, for each byte of a row
    * @param storage bytes on storage for each byte of a row
    */
  final case class Ratios(block: Double, encoded: Double, storage: Double) {

    /** With what a block tells that was given up. */
    def knowing(block: OpenBlock): Ratios = Ratios.of(block, storageBytes = 0).copy(storage = storage)
  }

  object Ratios {

    /** Nothing is known: a row takes on storage what it takes in memory, which is more than it will. */
    val unknown: Ratios = Ratios(1, 1, 1)

    /** Of a block with a row at least. */
    def of(block: OpenBlock, storageBytes: Long): Ratios = {
      val raw = block.rawBytes.toDouble
      Ratios(block.bufferedBytes / raw, block.encodedBytes / raw, storageBytes / raw)
    }

    /** The ratios of the last block in this format, by [[BulkFormat.describe]], in this process. */
    def learned(format: String): Option[Ratios] = Option(known.get(format))

    /** A block that told no size teaches nothing: orc-core knows none of the first rows, nor Parquet one of nulls. */
    def learn(format: String, ratios: Ratios): Unit = if (ratios.block > 0 && ratios.encoded > 0) {
      if (known.size > MostFormats) known.clear()
      known.put(format, ratios)
      ()
    }

    private val known = new ConcurrentHashMap[String, Ratios]

    private final val MostFormats = 1000
  }
}

/** Drops the output of a trial, and counts it. */
private[format] final class NullOutput extends BlockOutput {

  private var written = 0L

  override def position: Long = written

  override def write(b: Int): Unit = written += 1

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = written += count
}
