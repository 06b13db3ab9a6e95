// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Log
import stoplog.log.CommitLog
import stoplog.storage.FileStore

/** The targets of a path to which a job that replaces files does not announce. A table among the targets
  * would contain replaced files for ever.
  */
private[stoplog] object OtherTargets {

  /** Creates the cursors of these targets in the log of replacements, unless they exist. So the log keeps the
    * records of the job until the command `announce`, or a job with the target, delivers them. Logs a warning
    * with the names of the targets.
    *
    * @param path    as written by the user
    * @param log     the log of replacements, before the records of the job
    * @param sinkIds the names of all logs of the path
    * @param own     the names of the targets of the job
    */
  def keep(
      path: String,
      files: FileStore,
      log: => CommitLog,
      sinkIds: Seq[String],
      own: Set[String]
  ): Unit = {
    val others = sinkIds.flatMap(AnnouncementCursor.targets(files, _)).toSet -- own
    if (others.nonEmpty) {
      lazy val newest = log.newest()
      (others -- AnnouncementCursor.targets(files, Replacements.SinkId)).foreach { target =>
        val cursor = new AnnouncementCursor(files, Replacements.SinkId, target)
        Announcer.entered(cursor, log, newest, FirstAnnouncement.Newest, next = None)
      }
      Log.warn(
        s"This job replaces files of $path, and does not announce to the targets ${others.toVector.sorted.mkString(", ")} " +
          "of other writers. A table among the targets contains the replaced files until the command " +
          "'announce' delivers the replacement. Give the job the options announce.* of the targets"
      )
    }
  }
}
