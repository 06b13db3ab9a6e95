// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.storage.{Ending, SourceFile}

/** The handling of files that grow: with `onChangedFile=tail` the source reads the appended bytes.
  *
  * A file counts as the file read before if the bytes before the position have the recorded
  * [[stoplog.storage.Ending]]. Path, time and id do not count: a rotated log keeps its id under another path,
  * and copying programs give each copy a new id. A file with another ending is a new file.
  */
private[file] sealed trait Tailing {

  /** The data remembered for each file. */
  def width: SeenWidth

  /** Returns the unread part of a changed file. */
  def changed(file: SourceFile, was: FileIdentity): Option[FileSplit]

  /** Returns the part that was appended since the file was read. The split is empty if nothing was appended.
    * `None` if the appended part cannot be determined.
    */
  def added(file: SourceFile, was: FileIdentity): Option[FileSplit]

  /** Reads from the file, immediately before the split is handed out, to find the last whole record. `None`
    * if a program has renamed the file since the listing: the next listing finds the file under its new path.
    *
    * @param was the file read before the new part of this file; `None` if the split is the rest of a cut file
    */
  def readable(split: FileSplit, was: Option[FileIdentity]): Option[Tailing.Readable]
}

private[file] object Tailing {

  /** @param file  to be remembered as handed out
    * @param split up to the last whole record; `None` if no record is whole
    */
  final case class Readable(file: SourceFile, split: Option[FileSplit])

  def of(settings: Enumeration): Tailing = settings.monitoring.onChangedFile match {
    case Monitoring.OnChangedFile.Tail => new On(settings)
    case _                             => Off
  }

  /** Returns renamed files in the order in which they can be handed out. A renamed file precedes the file now
    * at its old path, because the state of the latter replaces the state of the renamed file.
    *
    * @param read  the file read under the old path
    * @param known returns the remembered identity of a path
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

  /** Reads files as listed. */
  private object Off extends Tailing {
    override def width: SeenWidth                                                      = SeenWidth.Plain
    override def changed(file: SourceFile, was: FileIdentity): Option[FileSplit]       = None
    override def added(file: SourceFile, was: FileIdentity): Option[FileSplit]         = None
    override def readable(split: FileSplit, was: Option[FileIdentity]): Some[Readable] =
      Some(Readable(split.file, Some(split)))
  }

  private final class On(settings: Enumeration) extends Tailing {
    import settings.splitter

    override def width: SeenWidth = SeenWidth.Marked

    override def changed(file: SourceFile, was: FileIdentity): Option[FileSplit] =
      splitter.whole(file) match {
        case whole if file.bytes < was.bytes || was.bytes == 0 => Some(whole)
        case FileSplit(_, _: Extent.Bytes, _)                  =>
          if (file.bytes > was.bytes || was.mark.ending.isKnown) added(file, was) else None
        case whole if was.mark.isOtherThan(file) => Some(whole)
        case _ if file.bytes == was.bytes        => None
        case _ => throw Errors.sourceFileGrown(settings.files.describe(file.path), was.bytes, file.bytes)
      }

    override def added(file: SourceFile, was: FileIdentity): Option[FileSplit] = splitter.whole(file) match {
      case whole @ FileSplit(_, Extent.Bytes(_, end), _) => Some(whole.piece(was.bytes, end))
      case whole if was.isOf(file)                       => Some(whole.piece(0, 0))
      case _                                             => None
    }

    /** The rest of a cut file is returned in any case: no listing finds the rest again. */
    override def readable(split: FileSplit, was: Option[FileIdentity]): Option[Readable] =
      if (!split.isFirst && !was.exists(_.bytes == split.extent.from)) Some(Readable(split.file, Some(split)))
      else
        try Some(wholeRecords(split, was)).filterNot(_ => isRenamed(split.file))
        catch { case NonFatal(_) if isRenamed(split.file) => None }

    /** Checked after reading from the path, so that the check covers all bytes read. */
    private def isRenamed(file: SourceFile): Boolean = file.id.isKnown && {
      val isAtPath = settings.files.find(file.path).flatMap(_.file(file.path)).exists { found =>
        !found.id.isOther(file.id) || CleanSource.isAsListed(file, found)
      }
      !isAtPath && RenamedFile.ofSameId(settings.files, file).nonEmpty
    }

    private def wholeRecords(split: FileSplit, was: Option[FileIdentity]): Readable = split.extent match {
      case _: Extent.Records    => Readable(split.file, Some(split))
      case extent: Extent.Bytes =>
        splitter.complete(split.file, extent.until) match {
          case Some(complete) => wholeRecords(split, extent, was, complete)
          case None           => Readable(split.file, Some(split))
        }
    }

    private def wholeRecords(
        split: FileSplit,
        extent: Extent.Bytes,
        was: Option[FileIdentity],
        complete: FileSplitter.Complete
    ): Readable = {
      val file      = split.file.copy(ending = complete.ending)
      val isSameEnd = extent.from == extent.until
      val before    = if (isSameEnd) Some(complete) else splitter.complete(file, extent.from)
      before match {
        case None       => Readable(file, Some(split.copy(file = file))) // absent: the task handles this
        case Some(read) =>
          val begin = beginning(extent, was.map(_.mark.ending), read)
          // The unfinished line that was read has no end yet. The file keeps its unknown ending, so that the
          // next listing skips the rest of the line, too.
          if (begin > complete.end) Readable(split.file, None)
          else
            Readable(
              file,
              Option.when(begin < complete.end)(split.copy(file = file).piece(begin, complete.end))
            )
      }
    }

    /** Returns the start of the unread lines. A file without a known ending was read by a query with another
      * `onChangedFile`, which has also read an unfinished last line.
      */
    private def beginning(
        extent: Extent.Bytes,
        ending: Option[Ending],
        before: FileSplitter.Complete
    ): Long =
      if (ending.exists(_.isOther(before.ending))) 0L
      else if (ending.exists(!_.isKnown)) extent.from
      else before.end
  }
}
