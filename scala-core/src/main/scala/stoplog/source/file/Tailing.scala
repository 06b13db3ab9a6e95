// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable

import stoplog.error.Errors
import stoplog.storage.SourceFile

/** What becomes of files to which programs add: with `onChangedFile=tail` they are read on.
  *
  * A file is the one that was read if the bytes before the position have the [[stoplog.storage.Ending]] that was read,
  * whatever its path, time and id are: a rotated log has its old id under another path, and programs that copy files give
  * each copy a new id. A file of another ending is a new file.
  */
private[file] sealed trait Tailing {

  /** What is remembered of each file. */
  def width: SeenWidth

  /** The unread part of a file that has changed since it was read. */
  def changed(file: SourceFile, was: FileIdentity): Option[FileSplit]

  /** What was added to a file since it was read, or nothing was: a split without a byte. None if nothing can tell. */
  def added(file: SourceFile, was: FileIdentity): Option[FileSplit]

  /** Looks into the file, right before the split is handed out.
    *
    * @param was the file that was read before the new part of this file; none if the split is the rest of a cut
    */
  def readable(split: FileSplit, was: Option[FileIdentity]): Tailing.Readable
}

private[file] object Tailing {

  /** @param file  to be remembered as handed out
    * @param split as far as its records are whole; none if none are
    */
  final case class Readable(file: SourceFile, split: Option[FileSplit])

  def of(settings: Enumeration): Tailing = settings.monitoring.onChangedFile match {
    case Monitoring.OnChangedFile.Tail => new On(settings)
    case _                             => Off
  }

  /** Renamed files in the order in which they can be handed out: each one before the file that has taken its former path,
    * whose state takes the place of its own.
    *
    * @param read  what was read under their former paths
    * @param known what is remembered of a path
    */
  def inOrder(
      renamed: Iterable[FileSplit],
      read: String => FileIdentity,
      known: String => Option[FileIdentity]
  ): Vector[FileSplit] = {
    val byRead  = renamed.map(split => read(split.file.path).mark -> split).toMap
    val ordered = mutable.LinkedHashSet.empty[FileSplit]
    val begun   = mutable.Set.empty[FileSplit]

    def add(split: FileSplit): Unit = if (begun.add(split)) {
      known(split.file.path).flatMap(was => byRead.get(was.mark)).foreach(add)
      ordered += split
    }

    renamed.foreach(add)
    ordered.toVector
  }

  /** Files are read as they were listed. */
  private object Off extends Tailing {
    override def width: SeenWidth                                                        = SeenWidth.Plain
    override def changed(file: SourceFile, was: FileIdentity): Option[FileSplit]         = None
    override def added(file: SourceFile, was: FileIdentity): Option[FileSplit]           = None
    override def readable(split: FileSplit, was: Option[FileIdentity]): Tailing.Readable =
      Readable(split.file, Some(split))
  }

  private final class On(settings: Enumeration) extends Tailing {
    import settings.framing

    override def width: SeenWidth = SeenWidth.Marked

    override def changed(file: SourceFile, was: FileIdentity): Option[FileSplit] = framing.whole(file) match {
      case whole if file.bytes < was.bytes || was.bytes == 0 => Some(whole)
      case FileSplit(_, _: Extent.Bytes)                     =>
        if (file.bytes > was.bytes || was.mark.ending.isKnown) added(file, was) else None
      case whole if was.mark.isOtherThan(file) => Some(whole)
      case _ if file.bytes == was.bytes        => None
      case _ => throw Errors.sourceFileGrown(settings.files.describe(file.path), was.bytes, file.bytes)
    }

    override def added(file: SourceFile, was: FileIdentity): Option[FileSplit] = framing.whole(file) match {
      case FileSplit(_, Extent.Bytes(_, end)) => Some(FileSplit(file, Extent.Bytes(was.bytes, end)))
      case _ if was.isOf(file)                => Some(FileSplit(file, Extent.Records(0, 0)))
      case _                                  => None
    }

    override def readable(split: FileSplit, was: Option[FileIdentity]): Tailing.Readable =
      (split.extent, was) match {
        case (extent: Extent.Bytes, _) if split.isFirst || was.exists(_.bytes == extent.from) =>
          framing.complete(split.file, extent.until) match {
            case Some(complete) => readable(split, extent, was, complete)
            case None           => Readable(split.file, Some(split))
          }
        case _ => Readable(split.file, Some(split))
      }

    private def readable(
        split: FileSplit,
        extent: Extent.Bytes,
        was: Option[FileIdentity],
        complete: FileSplitter.Complete
    ): Readable = {
      val file      = split.file.copy(ending = complete.ending)
      val isSameEnd = extent.from == extent.until
      val before    = if (isSameEnd) Some(complete) else framing.complete(file, extent.from)
      before match {
        case None => Readable(file, Some(split.copy(file = file))) // it is gone, which the task will find
        case Some(read) =>
          val begin = if (was.exists(_.mark.ending.isOther(read.ending))) 0L else read.end
          Readable(
            file,
            Option.when(begin < complete.end)(FileSplit(file, Extent.Bytes(begin, complete.end)))
          )
      }
    }
  }
}
