// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.error.Log
import stoplog.log.{CommitLog, LogIdentity, LogRecord}
import stoplog.storage.{FileStore, SinkDirectory}

/** The targets of a path to which a job that replaces files does not announce. A table among the targets
  * would contain replaced files for ever.
  */
private[stoplog] object OtherTargets {
  import AnnouncementCursor.Position

  /** Creates a cursor at a replacement for each target of another log that has no position in the log of
    * replacements. So this log keeps the record until the command `announce`, or a job with the target,
    * delivers the record.
    *
    * Called after the decision, and before anything is hidden (P-139). A target that starts later lists the
    * files after the replacement (P-140).
    */
  def keep(files: FileStore, record: LogRecord): Unit = {
    val logs   = files.names(SinkDirectory.Root).filterNot(_ == Replacements.SinkId)
    val others = logs.flatMap(AnnouncementCursor.targets(files, _)).toSet
    others.map(cursor(files, _)).filter(_.read().isEmpty).foreach { cursor =>
      cursor.write(Position(record.seq, LogIdentity.of(record.state).getOrElse("")))
    }
  }

  /** Returns the first record for targets that no log of the path knows. Keeps a replacement of another job
    * that is not carried out for the known targets: the cursor of a job's target would follow the record.
    */
  def next(files: FileStore, replacements: CommitLog): Long = start(files, replacements).next

  private def start(files: FileStore, replacements: CommitLog): Position = {
    val newest = replacements.newest()
    newest.filterNot(replacements.isPublished).foreach(keep(files, _))
    Position(
      newest.fold(0L)(_.seq + 1),
      newest.flatMap(record => LogIdentity.of(record.state)).getOrElse("")
    )
  }

  /** Returns whether no log of the path has a position of the target. */
  def isNew(files: FileStore, target: String): Boolean = files
    .names(SinkDirectory.Root)
    .forall(new AnnouncementCursor(files, _, target).read().isEmpty)

  /** Creates a cursor in the log of replacements for each of these targets with a position in the log of a
    * job. The caller deletes this log. The target then stays known (P-139), and receives no second snapshot.
    * Never throws.
    *
    * @return whether the job's log may be deleted
    */
  def remember(
      files: FileStore,
      replacements: => CommitLog,
      job: String,
      targets: Iterable[String]
  ): Boolean =
    try {
      targets.foreach { target =>
        val kept = cursor(files, target)
        if (kept.read().isEmpty && new AnnouncementCursor(files, job, target).read().nonEmpty) {
          val position = start(files, replacements)
          if (kept.read().isEmpty) kept.write(position) // unless a pending replacement has created it
        }
      }
      true
    } catch {
      case NonFatal(e) =>
        Log.warn(s"The log of job $job stays, because its targets must stay known", e)
        false
    }

  private def cursor(files: FileStore, target: String) =
    new AnnouncementCursor(files, Replacements.SinkId, target)

  /** Logs a warning with the names of the targets.
    *
    * @param path    as written by the user
    * @param sinkIds the names of all logs of the path
    * @param own     the names of the targets of the job
    */
  def warn(path: String, files: FileStore, sinkIds: Seq[String], own: Set[String]): Unit = {
    val others = sinkIds.flatMap(AnnouncementCursor.targets(files, _)).toSet -- own
    if (others.nonEmpty)
      Log.warn(
        s"This job replaces files of $path, and does not announce to the targets ${others.toVector.sorted.mkString(", ")} " +
          "of other writers. A table among the targets contains the replaced files until the command " +
          "'announce' delivers the replacement. Give the job the options announce.* of the targets"
      )
  }
}
