// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import stoplog.format.bulk.BlockSizing.Likely
import stoplog.format.bulk.OpenBlock.Ratios

/** The limits from which a part encodes its waiting rows. Immutable, and computed from numbers alone.
  *
  * All sizes are bytes of rows in memory, unless stated otherwise.
  *
  * @param ratios      the ratios of the sizes below
  * @param enough      the size of all waiting rows which probably fills a block
  * @param enoughFresh the size of this epoch's rows which probably makes a large block
  * @param likely      the size of this epoch's rows from which the epoch may be large; the part then checks
  *                    whether rows can go straight to a block
  */
private[bulk] final case class BlockSizing(ratios: Ratios, enough: Long, enoughFresh: Long, likely: Likely) {
  private[this] val likelyBytes = likely.bytes

  /** Whether the waiting rows probably make a full block, or a block that ends with the epoch.
    *
    * @param waiting the size of all waiting rows
    * @param fresh   the size of this epoch's rows among them
    */
  def isEnough(waiting: Long, fresh: Long): Boolean = waiting >= enough || fresh >= enoughFresh

  /** Whether the epoch may be large, after `fresh` bytes of this epoch's rows. */
  def isLikelyLarge(fresh: Long): Boolean = fresh >= likelyBytes

  /** Returns these limits after the part checked whether this epoch is large. A part checks once per epoch.
    */
  def likelyChecked: BlockSizing = copy(likely = Likely.Never)

  /** Returns the limits for the current sizes of the format. */
  def updated(sizes: BlockSizes): BlockSizing = likely match {
    case Likely.FirstEpoch(_)                => BlockSizing.of(sizes, earlierRaw = None)
    case Likely.LaterEpoch(_) | Likely.Never => BlockSizing(sizes, likely)
  }

  /** Returns the limits after the waiting rows did not fill a block as predicted. If the updated limits
    * predict a block again, the part waits for twice as many rows.
    */
  def postponed(sizes: BlockSizes, waiting: Long, fresh: Long): BlockSizing = {
    val now = updated(sizes)
    if (now.isEnough(waiting, fresh)) now.copy(enough = waiting * 2, enoughFresh = Long.MaxValue) else now
  }
}

private[bulk] object BlockSizing {

  /** Returns the limits at the start of an epoch.
    *
    * @param earlierRaw the size of the rows that earlier epochs left; none for a new part
    */
  def of(sizes: BlockSizes, earlierRaw: Option[Long]): BlockSizing = BlockSizing(
    sizes,
    earlierRaw match {
      case None    => Likely.FirstEpoch(sizes.firstRawBytes)
      case Some(0) => Likely.LaterEpoch(sizes.likelyRawBytes)
      case Some(_) => Likely.Never
    }
  )

  private def apply(sizes: BlockSizes, likely: Likely): BlockSizing =
    BlockSizing(sizes.ratios, sizes.firstLook, sizes.largeRawBytes, likely)

  /** When a part checks whether its epoch is large. */
  sealed abstract class Likely(private[BlockSizing] val bytes: Long)

  object Likely {

    /** In the first epoch of a part. The limit follows the current sizes of the format. */
    final case class FirstEpoch(limit: Long) extends Likely(limit)

    /** After an epoch that left no rows. The limit stays the same during the epoch. */
    final case class LaterEpoch(limit: Long) extends Likely(limit)

    /** Not in this epoch: rows of earlier epochs wait, or the part has checked. */
    case object Never extends Likely(Long.MaxValue)
  }
}

/** The sizes of a format's blocks, in bytes of rows in memory.
  *
  * @param blockBytes see [[BlockFormat.blockBytes]]
  * @param largeBytes see [[BlockFormat.largeBytes]]
  * @param learned    the ratios of this process's last block in the format, if any
  */
private[bulk] final case class BlockSizes(blockBytes: Long, largeBytes: Long, learned: Option[Ratios]) {
  import BlockSizes._

  /** The ratios of row size to stored size: learned in this process, or the defaults. */
  val ratios: Ratios = learned.getOrElse(Ratios.unknown)

  def isUnknown: Boolean = learned.isEmpty

  /** Returns the approximate bytes of rows that make a block of the format. */
  def blockRawBytes: Long = (blockBytes / ratios.block).toLong.max(1)

  /** Returns the bytes of rows after which a block is first tried. Without known ratios: enough to learn
    * from.
    */
  def firstLook: Long = if (isUnknown) blockRawBytes.min(EnoughToLearnBytes) else blockRawBytes

  /** Returns the approximate bytes of rows in one epoch that make a large block. */
  def largeRawBytes: Long = (largeBytes / ratios.encoded).toLong.max(1)

  /** Returns the bytes of rows after which the first epoch of a part is expected to make a large block. Used
    * if the task has only this part.
    */
  def firstRawBytes: Long = (largeRawBytes / FirstShare).max(LeastFirstBytes)

  /** Returns the bytes of rows after which an epoch is expected to be large, if the epoch before was large.
    * For a large block of 64 MiB: 2 MiB.
    */
  def likelyRawBytes: Long = (largeRawBytes / LikelyShare).max(1)

  /** Whether ratios can be learned from a block of `rawBytes` of rows. The last few rows of a part are too
    * few, unless no ratios are known yet.
    */
  def areLearnedFrom(rawBytes: Long): Boolean =
    rawBytes > 0 && (isUnknown || rawBytes >= blockRawBytes / LearnShare)
}

private object BlockSizes {
  private final val EnoughToLearnBytes = 1L << 20
  private final val LikelyShare        = 32L
  private final val FirstShare         = 4L
  private final val LeastFirstBytes    = 16L << 20
  private final val LearnShare         = 128L
}
