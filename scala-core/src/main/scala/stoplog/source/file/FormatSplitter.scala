// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.util.control.NonFatal

import stoplog.source.{Fit, Room, SplitSize}
import stoplog.storage.{SourceFile, SourceFiles}

/** Files of a format of the user's: cut at any byte where the format can begin there, or else where the driver comes to
  * by reading them as the tasks will.
  */
private[file] final class FormatSplitter[R](files: SourceFiles, opening: FormatOpening[R])
    extends FileSplitter {
  @transient private var reading: Option[OpenRecords[R]] = None

  override def whole(file: SourceFile): FileSplit = opening.cuts(file) match {
    case Cuts.ByNumber => FileSplit(file, Extent.Records(0, Extent.ToTheEnd))
    case _             => FileSplit(file, Extent.Bytes(0, file.bytes))
  }

  override def fit(split: FileSplit, room: Room): Fit[FileSplit] = split.extent match {
    case bytes: Extent.Bytes if room.records.isEmpty && opening.cuts(split.file) == Cuts.Anywhere =>
      ByteRanges.fit(split, bytes, room)
    case _ if room.records.isEmpty && fitsWhole(split, room) => Fit.All(split, split.size)
    case _                                                   =>
      try counted(split, room)
      catch {
        // A task will say what is wrong with the file, in words that have its position.
        case NonFatal(_) =>
          close()
          if (room.isUnused) Fit.All(split, split.size) else Fit.Nothing()
      }
  }

  override def divide(split: FileSplit, bytes: Long): Seq[FileSplit] = split.extent match {
    case whole: Extent.Bytes if opening.cuts(split.file) == Cuts.Anywhere =>
      ByteRanges.divide(split, whole, bytes)
    case _ => Seq(split)
  }

  override def close(): Unit = {
    reading.foreach(_.close())
    reading = None
  }

  /** What is left of a file that is cut by number is of unknown size. */
  private def fitsWhole(split: FileSplit, room: Room): Boolean = split.extent match {
    case Extent.Records(from, _) if from > 0 => room.bytes.isEmpty
    case _                                   => room.bytes.forall(_ >= split.size.bytes)
  }

  /** Reads until there is no more room, or no more split. */
  private def counted(split: FileSplit, room: Room): Fit[FileSplit] = {
    val records = opened(split)
    var more    = !records.isAtEnd                // comes to where the split begins
    var tooMuch = false
    val before  = records.storedBytes
    var count   = 0L
    var last    = Option.empty[(Long, SplitSize)] // where it can be cut that is within the room
    def isFull  = last.exists { case (_, size) => reaches(room, size) }
    def size    = SplitSize(records.storedBytes - before, Some(count))
    while (more && !tooMuch && !isFull)
      if (!records.advance()) more = false
      else {
        count += 1
        records.passed.foreach { at =>
          if (room.holds(size) || canKeep(split, room, last)) last = Some((at, size)) else tooMuch = true
        }
      }
    if (!tooMuch && (!more || records.isAtEnd)) {
      close()
      Fit.All(split, size)
    } else last.fold[Fit[FileSplit]](Fit.Nothing()) { case (at, size) => split.cut(at, size) }
  }

  /** More than there is room for: where nothing else is in the micro-batch; and, of what has to be read from its
    * beginning again, rather than to read that much in vain.
    */
  private def canKeep(split: FileSplit, room: Room, last: Option[_]): Boolean =
    opening.cuts(split.file) == Cuts.ByNumber || (last.isEmpty && room.isUnused)

  private def reaches(room: Room, size: SplitSize): Boolean =
    room.bytes.exists(_ <= size.bytes) || room.records.exists(left => size.records.exists(_ >= left))

  /** Goes on where the last call stopped, if it was here. */
  private def opened(split: FileSplit): OpenRecords[R] = reading match {
    case Some(records) if records.split.file == split.file && records.passed.contains(split.extent.from) =>
      records
    case _ =>
      close()
      val records = opening.open(files, split)
      reading = Some(records)
      records
  }
}
