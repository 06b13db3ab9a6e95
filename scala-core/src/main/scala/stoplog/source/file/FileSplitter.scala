// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.source.{Fit, Room, SplitSize}
import stoplog.storage.SourceFile

/** The positions at which files of a format can be cut. On the driver, except [[divide]]. */
trait FileSplitter extends Serializable {

  /** All of a file. */
  def whole(file: SourceFile): FileSplit

  /** As much of a split as there is room for. */
  def fit(split: FileSplit, room: Room): Fit[FileSplit]

  /** The same records in pieces of about so many bytes. */
  def divide(split: FileSplit, bytes: Long): Seq[FileSplit]

  /** How far a file that others append to has whole records; none for a format, or a file, that cannot be appended to.
    *
    * @param until not further than this
    */
  def completeBytes(file: SourceFile, until: Long): Option[Long] = None

  def close(): Unit = ()
}

/** Each file is one split: a format, or files, in which nothing but reading leads anywhere.
  *
  * @param rows that each has, where that is known: else a file fits no limit of rows, and is a micro-batch of its own
  */
final case class WholeFiles(rows: Option[Long]) extends FileSplitter {
  override def whole(file: SourceFile): FileSplit = FileSplit(file, Extent.Records(0, Extent.ToTheEnd))

  override def fit(split: FileSplit, room: Room): Fit[FileSplit] = {
    val size = SplitSize(split.file.bytes, rows)
    if (room.holds(size)) Fit.All(split, size) else Fit.Nothing()
  }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = Seq(split)
}
