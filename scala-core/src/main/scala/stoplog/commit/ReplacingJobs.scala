// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.storage.SinkDirectory

/** The batch jobs under a path that have announced that they replace files.
  *
  * A job announces itself by a file of its directory, and then reads the other logs. A process that must not act next to
  * such a job makes its own act visible, and then looks for announcements. Of the two, one sees the other.
  */
private[stoplog] final class ReplacingJobs(logs: PathLogs, val replacements: Replacements) {

  /** Whether any job is announced: an append that has ended keeps its log then, in which that job may look for its files. */
  def anyAnnounced(except: String): Boolean = announced(_ != except).hasNext

  /** A job that is announced, and has not decided, or whose decision was not carried out. */
  def underWay: Option[String] = announced(_ => true).find(job => !replacements.isOver(job))

  /** Error: `STOPLOG_PATH_NOT_WRITABLE` when a job is [[underWay]]. */
  def refuseUnderWay(): Unit = underWay.foreach { job =>
    throw Errors.pathNotWritable(
      logs.path,
      s"batch job $job replaces files there, or has died doing so; then the next batch job under the path carries that out"
    )
  }

  private def announced(isMeant: String => Boolean): Iterator[String] =
    logs.jobs.keys.toVector.sorted.iterator.filter(job =>
      isMeant(job) && logs.files.exists(SinkDirectory(job).replaces)
    )
}

private[stoplog] object ReplacingJobs {

  /** For a process that carries out no replacement. */
  def of(logs: PathLogs, tools: DriverTools): ReplacingJobs = new ReplacingJobs(
    logs,
    new Replacements(logs, FollowUps.none(Replacements.SinkId, logs.files), LostPart.Fail, tools)
  )
}
