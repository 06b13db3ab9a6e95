// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.storage.{FileStore, ReplacedFiles, SinkDirectory, SpoolFiles}

/** All logs of files under one path, as a job that replaces files sees them. */
private[stoplog] trait PathLogs {

  /** As users write it. */
  def path: String

  /** The files of the path. */
  def files: FileStore

  /** The stores of one sink or job. */
  def storesOf(id: String): SinkStores

  /** The same, with the parts where the record says that they are. */
  def storesOf(id: String, newest: LogRecord): SinkStores = storesOf(id)

  /** The log of one sink, whatever the sink writes: its records may name parts that are no files. */
  def anyLog(id: String): CommitLog

  /** The logs of the sinks of streams, by their ids: also those of sinks that write no files. */
  def streams: Map[String, CommitLog] =
    ids(id => !id.startsWith(JobCommit.Prefix) && id != Replacements.SinkId).map(id => id -> anyLog(id)).toMap

  /** The logs of the batch jobs, by their names. A job that replaces files has a directory, and no record in its log. */
  final def jobs: Map[String, CommitLog] =
    ids(_.startsWith(JobCommit.Prefix)).map(id => id -> storesOf(id).log).toMap

  /** The log of the path's replacements, new for each run. */
  final def replacements: CommitLog = storesOf(Replacements.SinkId).log

  /** The stores of the files that a record of [[replacements]] names, by the name of its job and its kind. The rows of
    * compacted files may have to come back, and those of overwritten ones only where that costs nothing.
    */
  def replacing(job: String, kind: RecordKind): Ledger.Stores = {
    val own      = storesOf(Replacements.SinkId)
    val finished =
      if (kind == RecordKind.Compact) own.finished
      else ReplacedFiles.ofOverwrites(own.files, Replacements.SinkId)
    SinkStores.of(own.log, storesOf(job).parts, SpoolFiles.none, finished, own.files)
  }

  private def ids(isMeant: String => Boolean): Vector[String] =
    files.names(SinkDirectory.Root).filter(isMeant)
}

/** The newest record of each log of files at one moment; the parts that these records decide are visible.
  *
  * A file that a later record publishes is published after the cut: a replacement that is decided by the cut leaves the
  * file alone, however much of that record was visible when the replacement listed the path.
  */
private[commit] final case class Cut(streams: Map[String, LogRecord], jobs: Map[String, LogRecord]) {
  def newest: Map[String, LogRecord] = streams ++ jobs
}

/** Takes cuts. */
private[commit] final class Cuts(logs: PathLogs, tools: DriverTools) {

  /** Shows the parts of the newest record of each log, and returns these records.
    *
    * Error: `STOPLOG_PATH_NOT_WRITABLE` if a record cannot be carried out: its rows could appear next to the new ones later.
    */
  def take(): Cut = Cut(newest(logs.streams), newest(logs.jobs))

  /** The paths of all files that records after the cut publish; `None` if a log was trimmed past its record of the cut.
    *
    * A job that was running at the cut, and is over now, keeps its log as long as a replacing job is announced.
    */
  def publishedAfter(cut: Cut): Option[Set[String]] = {
    val later = (logs.streams ++ logs.jobs).toVector.map { case (id, log) =>
      val seen  = cut.newest.get(id)
      val after = log.decisionsAfter(seen.fold(-1L)(_.seq))
      if (after.exists(_.nonEmpty) && seen.isEmpty && !log.newest().exists(isOfFiles(id, _)))
        Some(Vector.empty)
      else after
    }
    Option.when(later.forall(_.isDefined))(later.flatten.flatten.flatMap(_.publish).map(_.finishedPath).toSet)
  }

  private def newest(found: Map[String, CommitLog]): Map[String, LogRecord] =
    found.toVector.sortBy(_._1).flatMap { case (id, log) => shown(id, log).map(id -> _) }.toMap

  private def shown(id: String, log: CommitLog): Option[LogRecord] =
    try {
      val newest = log.newest().filter(isOfFiles(id, _))
      newest.filterNot(log.isPublished).foreach(_ => show(id))
      newest
    } catch { case NonFatal(e) => throw Obstacle.Undone(id, e).refusal(logs.path) }

  /** Reads the record again, by the rules of a log of files. */
  private def show(id: String): Unit = logs.storesOf(id).log.newest().foreach { found =>
    val stores = logs.storesOf(id, found)
    stores.log.newest().foreach { record =>
      val identity = SinkIdentity(logs.path, id, record.state.queryId)
      val settling = new Settling(stores, identity, LostPart.Fail, FollowUps.none(id, logs.files), tools)
      tools.parallel.uninterrupted(settling.makeVisible(record))
    }
  }

  private def isOfFiles(id: String, record: LogRecord): Boolean =
    id.startsWith(JobCommit.Prefix) || record.state.queryId == SinkState.NextQuery || SinkSettings.isOfFiles(
      record.state
    )
}
