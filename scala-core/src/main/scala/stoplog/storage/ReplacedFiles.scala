// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.error.Log
import stoplog.part.FinishedPart

/** Finished parts that a record replaces by other parts.
  *
  * Finished parts belong to their readers. So each call is made for a record of the log. Any process may
  * repeat the call, also concurrently with another process that makes the same call.
  */
private[stoplog] class ReplacedFiles(protected val files: FileStore, sinkId: String) extends Serializable {
  private val root = SinkDirectory(sinkId).replaced

  /** Returns the length of the file under this path, in bytes; `None` if the file does not exist. */
  def sizeBytes(path: String): Option[Long] = files.stat(path).map(_.bytes)

  /** Returns the first of these files that cannot be hidden, as far as the storage can check in advance. A
    * hidden file has a longer name and a longer path (P-120). Hiding may also need another file system, or
    * further rights of this process.
    */
  def unhideable(paths: Seq[String]): Option[String] = paths.find(!fits(_)).orElse(unmovable(paths))

  /** Assumes the longest number of a record, because no record has the file yet. */
  private def fits(path: String): Boolean = ReplacedFiles.fits(path) &&
    files.pathProblem(ReplacedFiles.place(sinkId, Long.MaxValue, path)).isEmpty

  protected final def unmovable(paths: Seq[String]): Option[String] = {
    val directories = paths.map(FileStore.directoryOf).distinct
    files
      .unmovable(directories, s"$root/file")
      .flatMap(found => paths.find(FileStore.directoryOf(_) == found))
  }

  /** Hides the files that the record names, up to [[together]]. A file of another length stays visible: the
    * file was created under the same path after the record, so the record does not name the file.
    */
  final def hide(seq: Long, parts: Vector[FinishedPart]): Unit = {
    val lengths         = lengthsOf(parts)
    val (named, others) = parts.partition { part =>
      lengths.get(part.path).forall(_ == part.sizeBytes) || files.link(part.path).isDefined
    }
    others.foreach { part =>
      Log.warn(s"${files.describe(part.path)} stays visible: the file was replaced after a record named it")
    }
    hideTogether(seq, named.map(_.path))
  }

  /** Returns the lengths of the existing files. For several files of one directory, a list costs less. */
  private def lengthsOf(parts: Vector[FinishedPart]): Map[String, Long] =
    parts
      .groupBy(_.bucket)
      .flatMap {
        case (_, Vector(part))    => files.stat(part.path)
        case (bucket, sameBucket) =>
          val names = sameBucket.map(_.name).toSet
          files.listOnly(bucket)(names)
      }
      .map(found => found.path -> found.bytes)
      .toMap

  protected def hideTogether(seq: Long, paths: Seq[String]): Unit = paths.foreach(hide(seq, _))

  /** Hides a finished part from readers, in a place of the record `seq`, whatever its length. Ignores a
    * missing part.
    */
  def hide(seq: Long, path: String): Unit = {
    val place = ReplacedFiles.place(sinkId, seq, path)
    if (files.move(path, place) == MoveOutcome.TargetTaken && isObstacle(place, path)) {
      files.delete(Seq(place))
      files.move(path, place): Unit
    }
  }

  /** Returns whether a hidden path has the start of an interrupted copy, or no file at all. Otherwise the
    * file named by the record is hidden already, and the visible file was created since.
    */
  private def isObstacle(place: String, path: String): Boolean =
    files.link(place).isEmpty && files.stat(place).exists { hidden =>
      !hidden.isFile || !hidesAtOnce && sizeBytes(path).exists(hidden.bytes < _)
    }

  /** Whether a hidden file can be restored. */
  def restores: Boolean = true

  /** Returns the paths whose parts were deleted by readers before the record could hide them. Returns no path
    * if hiding is not atomic, but a check and a move, or a copy and a deletion. In that case a delayed
    * process may hide a part again that others have restored, and must not restore the late copy.
    */
  def taken(seq: Long, paths: Seq[String]): Set[String] =
    if (hidesAtOnce) paths.filterNot(path => files.exists(ReplacedFiles.place(sinkId, seq, path))).toSet
    else Set.empty

  /** The number of parts that one request can hide. */
  def together: Int = 1

  /** Restores a part that was hidden for this record. If another file has the part's path, the part stays
    * hidden: a program that writes files with fixed names must not block the record.
    */
  def restore(seq: Long, path: String): Unit =
    moveBack(ReplacedFiles.place(sinkId, seq, path), path)

  /** Whether hiding a part is atomic. Only then can a process restore a part that was hidden late, after
    * others had finished the record. Otherwise the late copy may be older than the part that others have
    * restored.
    */
  def hidesAtOnce: Boolean = files.capabilities.moves == Moves.Atomically

  /** Restores a part that this process has hidden late, if [[hidesAtOnce]]. */
  def restoreLate(seq: Long, path: String): Unit = if (hidesAtOnce) restore(seq, path)

  /** Restores all parts that are hidden for this record, if [[hidesAtOnce]]. If another file has the path of
    * a part, the part stays hidden.
    */
  def restoreLate(seq: Long): Unit = if (hidesAtOnce) {
    val place       = ReplacedFiles.directory(sinkId, seq)
    var directories = List(place)
    val hidden      = files.walk(place) { directory =>
      directories ::= directory
      true
    }
    hidden.foreach { file =>
      moveBack(file.path, file.path.stripPrefix(s"$place/").stripSuffix(ReplacedFiles.Unseen))
    }
    directories.foreach(files.deleteEmpty)
  }

  private def moveBack(place: String, path: String): Unit =
    if (files.move(place, path) == MoveOutcome.TargetTaken)
      Log.warn(s"${files.describe(place)} stays hidden: another file is at ${files.describe(path)}")

  /** Creates a second, hidden path of a finished part, by a hard link or a copy. */
  def keep(path: String, as: String): Unit = files.duplicate(path, as)

  /** Deletes all files that were hidden for the record. Ignores files that do not exist any more. */
  def purge(seq: Long): Unit = files.deleteTree(s"$root/$seq")

  /** Returns the records for which parts may be hidden. */
  def hiddenFor(): Vector[Long] = files.names(root).flatMap(_.toLongOption)
}

private[stoplog] object ReplacedFiles {

  /** Returns the hidden path of a part for a record. Contains the part's whole path: only parts of this sink
    * have globally unique names, and rejected rows share their names.
    */
  private[stoplog] def place(sinkId: String, seq: Long, path: String): String =
    s"${directory(sinkId, seq)}/$path$Unseen"

  /** The suffix of a hidden finished part: the pattern `*.json` below the path does not match the file. */
  private[stoplog] val Unseen: String = ".aside"

  /** File systems allow 255 bytes for a name. */
  private val MostBytes = 255

  private def fits(path: String): Boolean =
    s"${FileStore.nameOf(path)}$Unseen".getBytes(UTF_8).length <= MostBytes

  private[stoplog] def directory(sinkId: String, seq: Long): String =
    s"${SinkDirectory(sinkId).replaced}/$seq"

  /** Returns the groups in which files are hidden; restoring uses the reverse order. Markers are hidden
    * first, because a marker states that all rows of its bucket are visible. Valid-length files are hidden
    * last: without its valid-length file, a file shows rows that were never committed.
    */
  def hidingOrder(parts: Vector[FinishedPart]): Vector[Vector[FinishedPart]] = {
    val (hidden, visible)     = parts.partition(part => HiddenNames.isHidden(part.name))
    val (markers, companions) = hidden.partition(part => MarkerNames.version(part.name).isDefined)
    Vector(markers, visible, companions).filter(_.nonEmpty)
  }

  /** Creates the instance for jobs that replace files by other rows and never restore. If the storage moves a
    * file by copying all bytes, replaced files are deleted immediately.
    */
  def ofOverwrites(files: FileStore, sinkId: String): ReplacedFiles =
    if (files.capabilities.moves == Moves.ByCopy) new Deleted(files, sinkId)
    else new ReplacedFiles(files, sinkId)

  /** For a log that never replaces parts. */
  val none: ReplacedFiles = new ReplacedFiles(NoFiles, "none")

  private final class Deleted(files: FileStore, sinkId: String) extends ReplacedFiles(files, sinkId) {
    override def unhideable(paths: Seq[String]): Option[String]              = unmovable(paths)
    override def restores: Boolean                                           = false
    override def together: Int                                               = 1000
    override def hide(seq: Long, path: String): Unit                         = files.delete(Seq(path))
    override protected def hideTogether(seq: Long, paths: Seq[String]): Unit = files.delete(paths)
  }
}
