// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

/** A block that is being filled. Asks its writer for the size only now and then, as Parquet does: it costs. Where rows
  * are large, that is after a share of the block rather than after a number of rows.
  */
private[bulk] final class OpenBlock(writer: BlockWriter, blockBytes: Long) extends AutoCloseable {
  import OpenBlock._

  private[this] var count     = 0L
  private[this] var raw       = 0L
  private[this] var buffered  = 0L
  private[this] var nextCheck = MinRows
  private[this] var nextRaw   = blockBytes / Shares

  /** Bytes of its rows in memory. */
  def rawBytes: Long = raw

  /** Bytes in it, as the format measures them, when it was last looked at. */
  def bufferedBytes: Long = buffered

  /** Never without a row, whatever its size is to be: or there would be no end of blocks. */
  def isFull: Boolean = count > 0 && buffered >= blockBytes

  /** As full as a block must be to be ended before there are more rows. */
  def isNearlyFull: Boolean = count > 0 && buffered >= blockBytes * NearlyFull

  def write(row: InternalRow, rowBytes: Int): Unit = {
    writer.write(row)
    count += 1
    raw += rowBytes
    if (count >= nextCheck || raw >= nextRaw) measure()
  }

  def measure(): Unit = if (count > 0) {
    buffered = writer.bufferedBytes
    val rowsLeft = (blockBytes - buffered) / (buffered / count).max(1)
    nextRaw = raw + blockBytes / Shares
    nextCheck = count + (rowsLeft / 2).max(MinRows).min(MaxRows)
  }

  /** The part's new directory. */
  def finish(): Array[Byte] = {
    measure()
    try writer.finish()
    finally writer.close()
  }

  override def close(): Unit = writer.close()
}

private[bulk] object OpenBlock {
  private final val MinRows    = 100L
  private final val MaxRows    = 10000L
  private final val Shares     = 4
  private final val NearlyFull = 0.95
}
