// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

/** When to ask a block for its size, which costs about as much as a row: as Parquet does after a number of rows, and where
  * rows are large after a share of the block, or of 32 MiB if the block is to be larger: a part that is one block is looked at as
  * well. Used by one thread.
  *
  * @param blockBytes the size that the block is to have
  */
private[format] final class SizeLooks(blockBytes: Long) {
  import SizeLooks._

  private[this] val share    = blockBytes.min(MostBytes) / Shares
  private[this] var count    = 0L
  private[this] var raw      = 0L
  private[this] var nextRows = MinRows
  private[this] var nextRaw  = share

  /** The rows that came into the block. */
  def rows: Long = count

  /** Their bytes in memory. */
  def rawBytes: Long = raw

  /** Counts a row. Answers whether to look now. */
  def isDueWith(rowBytes: Long): Boolean = {
    count += 1
    raw += rowBytes
    count >= nextRows || raw >= nextRaw
  }

  /** Counts a row, and looks if it is time to. Answers whether the block has its size by that.
    *
    * @param bufferedBytes the block's size
    */
  def isFullWith(rowBytes: Long)(bufferedBytes: => Long): Boolean = isDueWith(rowBytes) && {
    val bytes = bufferedBytes
    looked(bytes)
    bytes >= blockBytes
  }

  /** Behind a look: the next one comes when half of the rows that are still to come are there.
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
