// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.part.BlockOutput
import stoplog.writing.PartBuffer

/** The blocks of one part, from the first block to the end of the file.
  *
  * @param began the directory of the blocks written by earlier epochs
  */
private[bulk] final class BlockChain(sink: BulkSink, began: Array[Byte], end: PartBuffer) {
  import BlockChain.PartBlocks

  private[this] var directory = began
  private[this] val out       = new PartBlocks(end)

  /** The values that the next writer of the part needs. */
  def header(last: LastEpoch): SpoolFrames.Header = SpoolFrames.Header(sink.description, directory, last)

  /** Starts a block without rows. */
  def begin(): OpenBlock = begin(earlierRaw = 0)

  /** Starts a block with the first of `rows`, until the block is full.
    *
    * @param earlierRaw bytes of the rows that are from earlier epochs
    */
  def filled(rows: Iterator[UnsafeRow], earlierRaw: Long): OpenBlock = {
    val block = begin(earlierRaw)
    try {
      while (!block.isFull && rows.hasNext) {
        val row = rows.next()
        block.write(row, row.getSizeInBytes)
      }
      block.measure() // otherwise a full block is noticed too late, and may be given up before
    } catch { case e: Throwable => block.close(); throw e }
    block
  }

  /** Writes the block, and learns the ratios from the block. */
  def finish(block: OpenBlock): Unit = {
    val start = end.position
    directory = block.finish()
    if (sink.blockSizes.areLearnedFrom(block.rawBytes))
      OpenBlock.Ratios.learn(sink.description, OpenBlock.Ratios.of(block, end.position - start))
  }

  /** Learns the ratios from a block that is given up, except for the storage ratio.
    *
    * @param known the previous ratios
    */
  def learn(block: OpenBlock, known: OpenBlock.Ratios): Unit =
    OpenBlock.Ratios.learn(sink.description, known.knowing(block))

  /** Writes the tail of the part, after the last block. */
  def close(): Unit = sink.format.end(out, directory)

  private def begin(earlierRaw: Long): OpenBlock =
    new OpenBlock(
      sink.format.block(out, directory),
      sink.format.blockBytes,
      sink.format.largeBytes,
      earlierRaw
    )
}

private[bulk] object BlockChain {

  /** The end of a part as passed to a format, which may neither flush nor close the part. */
  final class PartBlocks(end: PartBuffer) extends BlockOutput {
    override def position: Long                                          = end.position
    override def write(byte: Int): Unit                                  = end.write(byte)
    override def write(from: Array[Byte], offset: Int, count: Int): Unit = end.write(from, offset, count)
  }
}

/** A block that is being filled.
  *
  * @param largeBytes see [[BlockFormat.largeBytes]]
  * @param earlierRaw bytes of the block's rows that are from earlier epochs
  */
private[bulk] final class OpenBlock(
    writer: BlockWriter,
    blockBytes: Long,
    largeBytes: Long,
    earlierRaw: Long
) extends AutoCloseable {
  import OpenBlock._

  private[this] val looks     = new SizeLooks(blockBytes)
  private[this] var buffered  = 0L
  private[this] var encoded   = 0L
  private[this] var lookedRaw = 0L
  private[this] var isGivenUp = false

  /** Bytes of the block's rows in memory. */
  def rawBytes: Long = looks.rawBytes

  /** Bytes in the block at the last measurement, as counted by the format. */
  def bufferedBytes: Long = buffered

  /** Estimated bytes in the block now: assumes that rows since the last measurement are like earlier rows. */
  def estimatedBytes: Long =
    if (buffered == 0) rawBytes else (buffered.toDouble / lookedRaw * rawBytes).toLong

  /** Encoded bytes in the block before compression, at the last measurement. */
  def encodedBytes: Long = encoded

  /** A block without rows is never full, whatever its target size. Otherwise blocks would never end. */
  def isFull: Boolean = looks.rows > 0 && buffered >= blockBytes

  /** Whether the block is full enough to end before more rows arrive. */
  def isNearlyFull: Boolean = looks.rows > 0 && buffered >= blockBytes * NearlyFull

  /** Whether the rows of this epoch alone make the block large, so that the block need not wait. */
  def isLarge: Boolean =
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

  /** Returns the part's new directory. */
  def finish(): Array[Byte] = {
    if (isGivenUp) throw new IllegalStateException("A block that was given up cannot be written.")
    measure()
    try writer.finish()
    finally writer.close()
  }

  /** Discards the block, unless finished. */
  override def close(): Unit = {
    isGivenUp = true
    writer.close()
  }
}

private[bulk] object OpenBlock {
  private final val NearlyFull = 0.95

  /** The factors by which rows shrink until storage, learned from the last block written.
    *
    * @param block   bytes in a block, as counted by [[BlockWriter.bufferedBytes]], per byte of a row
    * @param encoded bytes in a block, as counted by [[BlockWriter.encodedBytes]], per byte of a row
    * @param storage bytes on storage per byte of a row
    */
  final case class Ratios(block: Double, encoded: Double, storage: Double) {

    /** Returns these ratios, updated with the measurements of a block that was given up. */
    def knowing(block: OpenBlock): Ratios = Ratios.of(block, storageBytes = 0).copy(storage = storage)
  }

  object Ratios {

    /** The default ratios: a row takes as much storage as memory. This overestimates the actual size. */
    val unknown: Ratios = Ratios(1, 1, 1)

    /** Returns the ratios of a block with at least one row. */
    def of(block: OpenBlock, storageBytes: Long): Ratios = {
      val raw = block.rawBytes.toDouble
      Ratios(block.bufferedBytes / raw, block.encodedBytes / raw, storageBytes / raw)
    }

    /** Returns the ratios of this process's last block in a format, as in [[BlockFormat.describe]]. */
    def learned(format: String): Option[Ratios] = Option(known.get(format))

    /** Ignores blocks of unknown size: orc-core reports none for the first rows, Parquet none for nulls. */
    def learn(format: String, ratios: Ratios): Unit = if (ratios.block > 0 && ratios.encoded > 0) {
      if (known.size > MostFormats) known.clear()
      known.put(format, ratios)
      ()
    }

    private val known = new ConcurrentHashMap[String, Ratios]

    private final val MostFormats = 1000
  }
}

/** Discards the output of a trial, and counts its bytes. */
private[format] final class NullOutput extends BlockOutput {

  private var written = 0L

  override def position: Long = written

  override def write(b: Int): Unit = written += 1

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = written += count
}
