// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.storage.SinkDirectory

/** The announced batch jobs that replace files under a path.
  *
  * A job announces itself by a file in its directory, and then reads the other logs. A process that must not
  * act during such a job makes its own act visible, and then looks for announcements. So one of the two sees
  * the other.
  */
private[stoplog] final class ReplacingJobs(logs: PathLogs, val replacements: Replacements) {

  /** Returns whether another job is announced: such a job may read the log of an ended append. */
  def anyAnnounced(except: String): Boolean = announced(_ != except).hasNext

  /** Returns an announced job without a decision, or whose decision was not carried out. */
  def underWay: Option[String] = announced(_ => true).find(job => !replacements.isOver(job))

  /** Throws `STOPLOG_PATH_NOT_WRITABLE` if a job is [[underWay]]. */
  def refuseUnderWay(): Unit = underWay.foreach { job =>
    throw Errors.pathNotWritable(
      logs.path,
      s"batch job $job is replacing files there, or died meanwhile. After its death, the next batch " +
        "job under the path carries out the replacement"
    )
  }

  private def announced(isMeant: String => Boolean): Iterator[String] =
    logs.jobs.keys.toVector.sorted.iterator.filter(job =>
      isMeant(job) && logs.files.exists(SinkDirectory(job).replaces)
    )
}

private[stoplog] object ReplacingJobs {

  /** Creates the jobs for a process that carries out no replacement. */
  def of(logs: PathLogs, tools: DriverTools): ReplacingJobs = new ReplacingJobs(
    logs,
    new Replacements(logs, FollowUps.none(Replacements.SinkId, logs.files), LostPart.Fail, tools)
  )
}
