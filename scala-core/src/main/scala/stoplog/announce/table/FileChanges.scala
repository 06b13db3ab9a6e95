// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.{AnnouncedFile, Announcement, AnnouncementId, Change, LogId}

/** A file to be added.
  *
  * @param ifMissing whether the table may have the file already
  */
private[stoplog] final case class AddedFile(bucket: String, file: AnnouncedFile, ifMissing: Boolean)

/** A file to be removed. */
private[stoplog] final case class RemovedFile(path: String, expected: RemovedFile.Expected)

private[stoplog] object RemovedFile {

  /** Whether the table has the file. */
  sealed trait Expected
  object Expected {

    /** The table has, or knows, the file: otherwise the rows may be in a file of another writer. */
    case object InTable extends Expected

    /** The table may lack the file, because a listing has started the table. */
    case object PerhapsListed extends Expected

    /** The same announcements have added the file. The table may have the file already, from a listing. */
    case object PerhapsAdded extends Expected
  }
}

/** Files in place of others.
  *
  * @param removed the former files, except files that the same announcements have added
  */
private[stoplog] final case class Replacement(
    added: Vector[AddedFile],
    removed: Vector[RemovedFile],
    rows: Replacement.Rows
) {

  /** Whether the new files have rows of the former files. */
  def keepsRows: Boolean = rows != Replacement.Rows.Other

  private[table] def adds(paths: Set[String]): Boolean = added.exists(each => paths(each.file.path))

  private[table] def without(paths: Set[String]): Replacement =
    copy(added = added.filterNot(each => paths(each.file.path)))
}

private[stoplog] object Replacement {

  /** The rows of the new files. */
  sealed trait Rows
  object Rows {

    /** The rows of the former files. */
    case object Same extends Rows

    /** Some rows of the former files, or also rows of files that the same announcements have added. The table
      * does not have those rows yet.
      */
    case object Changed extends Rows

    /** No rows of the former files. */
    case object Other extends Rows
  }
}

/** The common effect of several announcements. Files that the announcements add and remove are in no field:
  * such files no longer exist.
  *
  * @param restart see [[KnownLog]]
  * @param leftOut the paths of files that the target has refused, see [[LeftOutFiles]]
  */
private[stoplog] final case class FileChanges(
    added: Vector[AddedFile],
    replacements: Vector[Replacement],
    removed: Vector[RemovedFile],
    restart: String,
    leftOut: Set[String] = Set.empty
) {
  import Replacement.Rows

  def isEmpty: Boolean = added.isEmpty && replacements.isEmpty && removed.isEmpty

  /** All files to be added. */
  def files: Vector[AddedFile] = added ++ replacements.flatMap(_.added)

  /** The paths of all files to be removed. */
  def former: Set[String] = (removed ++ replacements.flatMap(_.removed)).map(_.path).toSet

  /** The paths of all files that may be in the table already. */
  def possiblyPresent: Set[String] = former ++ files.filter(_.ifMissing).map(_.file.path)

  /** Without the addition of these files. */
  private[table] def without(paths: Set[String]): FileChanges = copy(
    added = added.filterNot(each => paths(each.file.path)),
    replacements = replacements.map(_.without(paths))
  )

  /** Without the addition of these files, whose rows are gone. The table must not keep the rows of a
    * compaction in files of another writer.
    */
  private[table] def withoutRows(paths: Set[String]): FileChanges = {
    val rest = replacements.map { each =>
      if (!each.keepsRows || !each.adds(paths)) each
      else each.copy(rows = if (each.without(paths).added.isEmpty) Rows.Other else Rows.Changed)
    }
    copy(replacements = rest).without(paths)
  }

  /** Adds files in place of the files of other rows. */
  private[table] def overwriting(next: Replacement, paths: Set[String]): FileChanges =
    withoutRows(paths).replacing(next)

  /** Adds compacted files. A compaction whose files are compacted in turn becomes part of the next
    * compaction: the table has either all of their former files, or the rows are in files of another writer.
    */
  private[table] def compacting(
      compacted: Vector[AddedFile],
      removed: Vector[RemovedFile],
      paths: Set[String]
  ): FileChanges = {
    val (consumed, rest) = replacements.partition(each => each.keepsRows && each.adds(paths))
    val others           = copy(replacements = rest)
    val isNew            = others.files.exists(file => paths(file.file.path) && !file.ifMissing)
    val rows             = if (isNew || consumed.exists(_.rows == Rows.Changed)) Rows.Changed else Rows.Same
    val remaining        = consumed.flatMap(_.without(paths).added)
    others
      .without(paths)
      .replacing(Replacement(remaining ++ compacted, consumed.flatMap(_.removed) ++ removed, rows))
  }

  private def replacing(next: Replacement): FileChanges =
    if (next.removed.isEmpty) copy(added = added ++ next.added)
    else copy(replacements = replacements :+ next)
}

/** What the table knows about a log.
  *
  * @param position     the stored position
  * @param listedMillis the time of the newest snapshot announcement of all logs of the path. A snapshot has
  *                     the files of all logs
  * @param restart      a clause for messages: how the target starts again with a snapshot
  */
private[stoplog] final case class KnownLog(
    position: Option[AnnouncementId],
    listedMillis: Option[Long],
    restart: String
) {
  import KnownLog._
  import RemovedFile.Expected

  /** Returns the common effect of announcements. Throws [[Refusal]] for a gap. */
  def changes(announcements: Vector[Announcement]): FileChanges =
    announcements
      .foldLeft((this, FileChanges(Vector.empty, Vector.empty, Vector.empty, restart))) {
        case ((known, changes), next) => known.after(next) -> known.changed(changes, next)
      }
      ._2

  private def after(announcement: Announcement): KnownLog =
    copy(listedMillis = (listedMillis ++ KnownLog.listed(Vector(announcement))).maxOption)

  private def changed(changes: FileChanges, announcement: Announcement): FileChanges = {
    val isListed = mayBeListed(announcement)

    def added(bucket: String, files: Vector[AnnouncedFile]) = files.map(AddedFile(bucket, _, isListed))

    lazy val inCall = changes.files.map(each => each.file.path -> each.ifMissing).toMap

    def removed(paths: Vector[String]) = paths.flatMap { path =>
      inCall.get(path) match {
        case Some(false) => None // never enters the table
        case Some(true)  => Some(RemovedFile(path, Expected.PerhapsAdded))
        case None        =>
          Some(RemovedFile(path, if (isListed) Expected.PerhapsListed else Expected.InTable))
      }
    }

    announcement.change match {
      case Change.Added(bucket, files)    => changes.copy(added = changes.added ++ added(bucket, files))
      case Change.Snapshot(bucket, files) =>
        changes.copy(added = changes.added ++ files.map(AddedFile(bucket, _, ifMissing = true)))
      case Change.Removed(_, paths) =>
        val rest = changes.withoutRows(paths.toSet)
        rest.copy(removed = rest.removed ++ removed(paths))
      case Change.Replaced(bucket, files, paths) =>
        val (of, former) = (added(bucket, files), removed(paths))
        if (isCompaction(announcement.id.log)) changes.compacting(of, former, paths.toSet)
        else changes.overwriting(Replacement(of, former, Replacement.Rows.Other), paths.toSet)
      case _: Change.PartitionComplete => changes
      case Change.Gap(first, last)     =>
        if (position.forall(_.sequence < last)) throw gap(announcement.id.log, first, last)
        changes
    }
  }

  private def gap(log: LogId, first: Long, last: Long) = new Refusal(
    s"the records $first to $last of the log ${log.name} are not announced, so the table lacks their files. $restart, which " +
      "adds the missing files; or set onRefused = skip"
  )

  /** A listing may contain the files of records that are announced after the listing. */
  private def mayBeListed(announcement: Announcement): Boolean =
    listedMillis.exists(announcement.decidedAtMillis <= _ + ClockMillis)
}

private[stoplog] object KnownLog {

  /** Returns the time of the newest snapshot among the announcements. */
  def listed(announcements: Vector[Announcement]): Option[Long] = announcements.collect {
    case announcement if announcement.change.isInstanceOf[Change.Snapshot] => announcement.decidedAtMillis
  }.maxOption

  /** Throws [[Refusal]] if the stored position is the position of a deleted log.
    *
    * @param remedy the next step of the user, for messages
    */
  def refuseSuccessor(stored: Option[AnnouncementId], log: LogId, remedy: String): Unit =
    stored.map(_.log).filter(_.identity != log.identity).foreach { other =>
      throw new Refusal(
        s"the table has the position of another log ${other.name} (${other.identity}): the log was deleted since. $remedy, if " +
          "the table has all files of the former log"
      )
    }

  /** The log of jobs that overwrite. Other logs replace files only by compaction. */
  private val ReplacingJobs = "replace"

  /** More than the difference between the clocks of two drivers. */
  private val ClockMillis = 60 * 60 * 1000L

  private def isCompaction(log: LogId): Boolean = log.name != ReplacingJobs
}
