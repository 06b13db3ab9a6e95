// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.source.{Fit, Room, SplitSize}

/** Cuts by bytes alone, for formats whose readers find the first record of a piece by themselves. */
private[stoplog] object ByteRanges {

  /** As much of these bytes as there is room for. A piece that is too small to be worth its own way is left. */
  def fit(split: FileSplit, bytes: Extent.Bytes, room: Room): Fit[FileSplit] = room.bytes match {
    case Some(left) if left < bytes.until - bytes.from =>
      val small = room.usedBytes > 0 && left < SmallestPiece
      if (small) Fit.Nothing() else cut(split, bytes, bytes.from + left.max(1), None)
    case _ => Fit.All(split, split.size)
  }

  /** In two, at an offset. */
  def cut(split: FileSplit, bytes: Extent.Bytes, at: Long, records: Option[Long]): Fit[FileSplit] =
    split.cut(at, SplitSize(at - bytes.from, records))

  /** In pieces of equal size. */
  def divide(split: FileSplit, bytes: Extent.Bytes, size: Long): Seq[FileSplit] = {
    val total  = bytes.until - bytes.from
    val pieces = ((total + size - 1) / size).max(1)
    (0L until pieces).map { index =>
      split.piece(bytes.from + total * index / pieces, bytes.from + total * (index + 1) / pieces)
    }
  }

  private final val SmallestPiece = 256 * 1024
}
