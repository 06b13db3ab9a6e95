// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.StandardCharsets.UTF_8

import stoplog.error.Log

/** Finished parts that a record replaces by others.
  *
  * Finished parts belong to their readers. So each call here is for a record of the log, and may be repeated by any process,
  * also beside another one that does the same.
  */
private[stoplog] class ReplacedFiles(protected val files: FileStore, sinkId: String) extends Serializable {
  private val root = SinkDirectory(sinkId).replaced

  /** The length of the file under this path, in bytes; `None` when there is none. */
  def sizeBytes(path: String): Option[Long] = files.stat(path).map(_.bytes)

  /** The first of these files that cannot be hidden, as far as that can be told before: a hidden file has a longer name, and
    * may need another file system, or rights that this process lacks.
    */
  def unhideable(paths: Seq[String]): Option[String] =
    paths.find(!ReplacedFiles.fits(_)).orElse(unmovable(paths))

  protected final def unmovable(paths: Seq[String]): Option[String] = {
    val directories = paths.map(FileStore.directoryOf).distinct
    files
      .unmovable(directories, s"$root/file")
      .flatMap(found => paths.find(FileStore.directoryOf(_) == found))
  }

  /** Takes a finished part out of its readers' sight, to a place of the record `seq`. A part that is gone already is no error.
    */
  def hide(seq: Long, path: String): Unit = {
    val place = ReplacedFiles.place(sinkId, seq, path)
    if (files.move(path, place) == MoveOutcome.TargetTaken) {
      files.delete(Seq(place)) // left by a copy that broke off
      files.move(path, place): Unit
    }
  }

  /** Whether a hidden file can be brought back. */
  def restores: Boolean = true

  /** Hides several, up to [[together]]. */
  def hide(seq: Long, paths: Seq[String]): Unit = paths.foreach(hide(seq, _))

  /** Those of the paths whose parts readers took away before they could be hidden for that record. None where a part is not
    * hidden at once, but looked at first, or copied and deleted: there a process that slept may hide a part again that
    * others have brought back, and cannot be told to.
    */
  def taken(seq: Long, paths: Seq[String]): Set[String] =
    if (hidesAtOnce)
      paths.filterNot(ReplacedFiles.places(sinkId, seq, _).exists(files.exists)).toSet
    else Set.empty

  /** The number of parts that cost no more than one. */
  def together: Int = 1

  /** Brings a part back, if it was hidden for that record. If another file has its path, the part stays hidden: a program that
    * writes files of fixed names must not block the record.
    */
  def restore(seq: Long, path: String): Unit =
    ReplacedFiles.places(sinkId, seq, path).foreach(moveBack(_, path))

  /** Whether to hide a part is one step, so that what a process hides late, after others were done with the record, can be
    * brought back. A late copy may be older than what they have brought back.
    */
  def hidesAtOnce: Boolean = files.capabilities.moves == Moves.Atomically

  /** Brings back what this process has hidden late, if it [[hidesAtOnce]]. */
  def restoreLate(seq: Long, path: String): Unit = if (hidesAtOnce) restore(seq, path)

  /** The same with all that is hidden for that record. A part whose place another file has taken stays hidden. */
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

  /** Gives a finished part a second path, out of its readers' sight, by a hard link or a copy. */
  def keep(path: String, as: String): Unit = files.duplicate(path, as)

  /** Deletes all that was hidden for the record. A file that is gone already is no error. */
  def purge(seq: Long): Unit = files.deleteTree(s"$root/$seq")

  /** The records for which parts may be hidden. */
  def hiddenFor(): Vector[Long] = files.names(root).flatMap(_.toLongOption)
}

private[stoplog] object ReplacedFiles {

  /** The path of a part that was hidden for a record. It contains the part's whole path: only parts of this sink have
    * names that occur once in the world, and rejected rows share them.
    */
  private[stoplog] def place(sinkId: String, seq: Long, path: String): String =
    s"${formerPlace(sinkId, seq, path)}$Unseen"

  /** The end of the name of a finished part that is out of its readers' sight: `*.json` below the path finds no such file.
    */
  private[stoplog] val Unseen: String = ".aside"

  /** File systems allow 255 bytes for a name. */
  private val MostBytes = 255

  private def fits(path: String): Boolean =
    s"${FileStore.nameOf(path)}$Unseen".getBytes(UTF_8).length <= MostBytes

  private[stoplog] def directory(sinkId: String, seq: Long): String =
    s"${SinkDirectory(sinkId).replaced}/$seq"

  /** The paths of a hidden part: the present one, and the one that an earlier version used. */
  private def places(sinkId: String, seq: Long, path: String): Seq[String] =
    Seq(place(sinkId, seq, path), formerPlace(sinkId, seq, path))

  private def formerPlace(sinkId: String, seq: Long, path: String): String =
    s"${directory(sinkId, seq)}/$path"

  /** The groups in which files are hidden, and in the reverse order brought back. A marker of a bucket says that all its rows are
    * there, so markers go first; a file without its valid-length file shows rows that were never committed, so these go last.
    */
  def hidingOrder(paths: Vector[String]): Vector[Vector[String]] = {
    val (hidden, visible)     = paths.partition(path => HiddenNames.isHidden(FileStore.nameOf(path)))
    val (markers, companions) =
      hidden.partition(path => MarkerNames.version(FileStore.nameOf(path)).isDefined)
    Vector(markers, visible, companions).filter(_.nonEmpty)
  }

  /** For the records of jobs that replace files by other rows, and need no way back: where a move is a copy of every byte, a
    * replaced file is deleted at once.
    */
  def ofOverwrites(files: FileStore, sinkId: String): ReplacedFiles =
    if (files.capabilities.moves == Moves.ByCopy) new Deleted(files, sinkId)
    else new ReplacedFiles(files, sinkId)

  /** For a log in which nothing is ever replaced. */
  val none: ReplacedFiles = new ReplacedFiles(NoFiles, "none")

  private final class Deleted(files: FileStore, sinkId: String) extends ReplacedFiles(files, sinkId) {
    override def unhideable(paths: Seq[String]): Option[String] = unmovable(paths)
    override def restores: Boolean                              = false
    override def together: Int                                  = 1000
    override def hide(seq: Long, path: String): Unit            = files.delete(Seq(path))
    override def hide(seq: Long, paths: Seq[String]): Unit      = files.delete(paths)
  }
}
