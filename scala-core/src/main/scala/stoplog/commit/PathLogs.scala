// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.storage.{FileStore, ReplacedFiles, SinkDirectory, SpoolFiles}

/** All logs of files under one path, as seen by a job that replaces files. */
private[stoplog] trait PathLogs {

  /** The path, as written by users. */
  def path: String

  /** The files of the path. */
  def files: FileStore

  /** The stores of one sink or job. */
  def storesOf(id: String): SinkStores

  /** Returns the stores, with the parts at the location in the record. */
  def storesOf(id: String, newest: LogRecord): SinkStores = storesOf(id)

  /** Returns the log of one sink of any kind: its records may name parts that are not files. */
  def anyLog(id: String): CommitLog

  /** Returns the logs of streaming sinks by id, including sinks that write no files. */
  def streams: Map[String, CommitLog] =
    ids(id => !id.startsWith(JobCommit.Prefix) && id != Replacements.SinkId).map(id => id -> anyLog(id)).toMap

  /** Returns the logs of batch jobs by name. A job that replaces files has no record in its own log. */
  final def jobs: Map[String, CommitLog] =
    ids(_.startsWith(JobCommit.Prefix)).map(id => id -> storesOf(id).log).toMap

  /** Creates the log of the path's replacements; each run uses a new object. */
  final def replacements: CommitLog = storesOf(Replacements.SinkId).log

  /** Returns the stores for a record of [[replacements]], by the name of its job and its kind. Compacted
    * files may have to be restored; overwritten files are restorable only if hiding costs no copy.
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

/** The newest record of each log of files at one moment, with all parts of these records visible.
  *
  * A file published by a later record is published after the cut. A replacement decided with this cut keeps
  * the file, even if parts of the later record were already visible when the replacement listed the path.
  */
private[commit] final case class Cut(streams: Map[String, LogRecord], jobs: Map[String, LogRecord]) {
  def newest: Map[String, LogRecord] = streams ++ jobs
}

/** Takes cuts of all logs under a path. */
private[commit] final class Cuts(logs: PathLogs, tools: DriverTools) {

  /** Makes the parts of the newest record of each log visible, and returns these records.
    *
    * Error: `STOPLOG_PATH_NOT_WRITABLE` if a record cannot be carried out: its rows could appear next to new
    * rows later.
    */
  def take(): Cut = Cut(newest(logs.streams), newest(logs.jobs))

  /** Returns the paths of all files published after the cut; `None` if a log was trimmed past its record of
    * the cut.
    *
    * A job that was running at the cut and has ended since keeps its log while a replacing job is announced.
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

  /** Reads the record again, by the rules of a log of files, and makes its parts visible. */
  private def show(id: String): Unit = logs.storesOf(id).log.newest().foreach { found =>
    val stores = logs.storesOf(id, found)
    stores.log.newest().foreach { record =>
      val identity = SinkIdentity(logs.path, id, record.state.queryId)
      val settling =
        new RecordExecutor(stores, identity, LostPart.Fail, FollowUps.none(id, logs.files), tools)
      tools.parallel.uninterrupted(settling.makeVisible(record))
    }
  }

  private def isOfFiles(id: String, record: LogRecord): Boolean =
    id.startsWith(JobCommit.Prefix) || record.state.queryId == SinkState.NextQuery || SinkSettings.isOfFiles(
      record.state
    )
}
