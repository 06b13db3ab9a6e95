// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

/** Decides when to measure the size of a block, which costs about as much as a row. Like Parquet, measures
  * after a number of rows. If rows are large, measures after a share of the block, or of 32 MiB if the block
  * is larger. So a part that is a single block is measured as well. Used by one thread.
  *
  * @param blockBytes the target size of the block
  */
private[format] final class SizeLooks(blockBytes: Long) {
  import SizeLooks._

  private[this] val share    = blockBytes.min(MostBytes) / Shares
  private[this] var count    = 0L
  private[this] var raw      = 0L
  private[this] var nextRows = MinRows
  private[this] var nextRaw  = share

  /** The number of rows in the block. */
  def rows: Long = count

  /** The bytes of these rows in memory. */
  def rawBytes: Long = raw

  /** Counts a row. Returns whether to measure the block now. */
  def isDueWith(rowBytes: Long): Boolean = {
    count += 1
    raw += rowBytes
    count >= nextRows || raw >= nextRaw
  }

  /** Counts a row, and measures the block if a measurement is due. Returns whether the block has reached its
    * size by this measurement.
    *
    * @param bufferedBytes the block's size
    */
  def isFullWith(rowBytes: Long)(bufferedBytes: => Long): Boolean = isDueWith(rowBytes) && {
    val bytes = bufferedBytes
    looked(bytes)
    bytes >= blockBytes
  }

  /** Called after a measurement. Schedules the next measurement for when half of the expected remaining rows
    * have arrived.
    *
    * @param bufferedBytes the block's size
    */
  def looked(bufferedBytes: Long): Unit = {
    val rowsLeft = (blockBytes - bufferedBytes) / (bufferedBytes / count.max(1)).max(1)
    nextRaw = raw + share
    nextRows = count + (rowsLeft / 2).max(MinRows).min(MaxRows)
  }
}

private[format] object SizeLooks {
  private final val MinRows   = 100L
  private final val MaxRows   = 10000L
  private final val MostBytes = 32L << 20
  private final val Shares    = 4
}
