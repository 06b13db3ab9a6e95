// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.storage.{FileStore, SinkDirectory}

/** Merges in a directory that no sink looks after now, each decided by a record of a log of its own.
  *
  * The first act is a claim, as of a sink: of two that work on one directory, the older one can decide nothing more.
  * The next run carries out the decisions of the newest record.
  */
private[stoplog] final class CompactionCommit(
    run: RunId,
    identity: SinkIdentity,
    stores: SinkStores,
    tools: DriverTools
) {
  import stores.finished
  import tools.{clock, faults}

  private val followUps = FollowUps.none(identity.sinkId, stores.files)
  private val ledger    = new Ledger(run, identity, stores, LostPart.Fail, followUps, tools)

  /** Carries out what an earlier run has decided, and keeps it from deciding more; removes what it left unfinished.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_STORE_WRITE`.
    */
  def begin(): Unit = {
    ledger.claim(_ => state)
    ledger.sweep()
    ()
  }

  /** The same for a batch job that overwrites the directory, and merges nothing. Does nothing without a log. */
  def fence(): Unit = if (stores.log.newest().isDefined) {
    ledger.claim(_ => state)
    ()
  }

  /** Carries out what the newest record says, unless that was done. Claims nothing. */
  def carryOut(): Unit = {
    ledger.recover()
    ()
  }

  /** Puts the merged part in the place of the others, unless one of them is not what it was; answers whether it did.
    *
    * Errors: as of [[begin]], after which nothing more is to be done.
    */
  def replace(merge: Merge, merged: Merged): Boolean = {
    faults.at(Step.BeforeCompact)
    val same = merge.changed(finished).isEmpty
    if (same) {
      val publish = Vector(merge.pending(merged, clock.millis()))
      ledger.settle(ledger.append(Ledger.Entry(RecordKind.Compact, state, publish, replace = merge.inputs)))
    }
    same
  }

  /** The clean end. */
  def end(): Unit = ledger.settle(ledger.append(Ledger.Entry(RecordKind.Release, state)))

  private def state = SinkState(identity.queryId, None, Vector.empty, nextPart = 0, settings = Map.empty)
}

private[stoplog] object CompactionCommit {

  /** The log of a directory's merges. No sink has this id. */
  val SinkId: String = "compact"

  /** Those of a directory's files that no sink there may merge, publish or replace now.
    *
    * @param files listed before this is called: what a sink publishes meanwhile is not among them, or in its newest record
    * @param sinks the logs of all sinks of the directory
    */
  def free[A](files: Vector[A], sinks: Iterable[CommitLog])(path: A => String): Vector[A] = {
    val taken = sinks.toVector
      .flatMap(_.newest())
      .flatMap { newest =>
        newest.state.small.map(_.path) ++ newest.publish.map(_.finishedPath) ++ newest.replace.map(_.path)
      }
      .toSet
    files.filterNot(file => taken(path(file)))
  }
}

/** Keeps a batch job that overwrites a path, and merges of the files there, apart. A merge that is decided before an
  * overwrite has looked which files it replaces, and carried out after that, would put old rows back.
  *
  * So the job first says that it overwrites. Then it refuses to go on beside a query that merges the small files of its sink,
  * and claims the compaction's log, which carries out what was decided there and fences a compaction that is alive. Those that
  * merge do it the other way round: they claim their log, and then look for such jobs. Of the two, one sees the other.
  *
  * @param job   whose log the record of the overwrite goes to
  * @param sinks the logs of the sinks of the path, by their ids
  */
private[stoplog] final class Overwrite(
    path: String,
    job: String,
    notes: FileStore,
    sinks: () => Map[String, CommitLog],
    compaction: CompactionCommit
) {

  /** Before the job looks which files are there. Errors: `STOPLOG_PATH_NOT_WRITABLE`, and those of [[CompactionCommit.begin]];
    * then the job has to end.
    */
  def begin(): Unit = {
    notes.putIfAbsent(Overwrite.note(job), job.getBytes(UTF_8))
    try {
      Overwrite.refuseBesideMerges(path, sinks())
      compaction.fence()
    } catch {
      case NonFatal(e) => // it has decided nothing, and others need not wait for it
        try notes.delete(Seq(Overwrite.note(job)))
        catch { case NonFatal(later) => e.addSuppressed(later) }
        throw e
    }
  }
}

private[stoplog] object Overwrite {
  private final val Merges = "merges"

  /** In the settings of the records of a run that merges the small files of its sink. */
  val noted: Map[String, String] = Map(Merges -> "true")

  /** Error: `STOPLOG_PATH_NOT_WRITABLE` when a query that merges the small files of its sink is at work, or has died.
    *
    * @param sinks the logs of the sinks of the path, by their ids
    */
  def refuseBesideMerges(path: String, sinks: Map[String, CommitLog]): Unit =
    sinks.toVector.sortBy(_._1).foreach { case (sink, log) =>
      if (log.newest().exists(mayMerge))
        throw Errors.pathNotWritable(
          path,
          s"it is to be overwritten, and the query of sink $sink, which merges small files there, is at work or has died. " +
            s"Stop it first; if it has died, start it again and let it end, or run 'stoplog finalize'"
        )
    }

  private def mayMerge(newest: LogRecord): Boolean =
    newest.kind != RecordKind.Release && newest.state.settings.contains(Merges)

  /** For a run that holds a claim, before it looks at the files that it merges: the job that has begun to overwrite the path,
    * and has not carried that out.
    *
    * @param jobs the logs of the batch jobs under the path, by their names
    */
  def underWay(jobs: Map[String, CommitLog], notes: FileStore): Option[String] =
    jobs.toVector.sortBy(_._1).collectFirst {
      case (job, log) if notes.read(note(job)).isDefined && !log.newest().exists(log.isPublished) => job
    }

  /** Error: `STOPLOG_PATH_NOT_WRITABLE` when a job is [[underWay]]. */
  def refuseUnderWay(path: String, jobs: Map[String, CommitLog], notes: FileStore): Unit =
    underWay(jobs, notes).foreach { job =>
      throw Errors.pathNotWritable(
        path,
        s"batch job $job overwrites it, or has died doing so; then the next batch job under the path carries that out"
      )
    }

  /** Removed with the rest of the job's directory. */
  private def note(job: String): String = SinkDirectory(job).overwrites
}

/** Keeps a run of `rewind` and merges of the batch compaction apart, as [[Overwrite]] does it for batch jobs: a merge that is
  * decided behind the look of `rewind` at the files that are to go would keep their rows visible.
  *
  * So `rewind` first claims its sink's log, with a record that says what it does, and then claims the compaction's log,
  * which carries out what was decided there and fences a compaction that is alive. A compaction does it the other way
  * round: it claims its log, and then looks for such records. Of the two, one sees the other.
  */
private[stoplog] object Rewind {
  private val Key = "rewind"

  /** In the settings of the records of a run that sets its sink back, until it has decided which files go. */
  val noted: Map[String, String] = Map(Key -> "begun")

  /** The settings for a run that claims the log behind it, which keeps it from deciding anything. */
  def over(settings: Map[String, String]): Map[String, String] = settings - Key

  /** After a compaction's claim. Error: `STOPLOG_PATH_NOT_WRITABLE` when a sink of the path is being set back, or `rewind` has
    * died before it has decided which files go.
    *
    * @param sinks the logs of all sinks of the path
    */
  def refuseUnderWay(path: String, sinks: Map[String, CommitLog]): Unit =
    sinks.toVector.sortBy(_._1).foreach { case (sink, log) =>
      if (log.newest().exists(_.state.settings.contains(Key)))
        throw Errors.pathNotWritable(
          path,
          s"'stoplog rewind' sets sink $sink back, or has died doing so; then run it again, or start the sink's query"
        )
    }
}
