// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.{Errors, Log}
import stoplog.fault.Step
import stoplog.log.{CommitLog, FollowUp, LogIdentity, LogRecord, QueryEpoch, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending, RunId}

/** The single log of a path for all jobs that replace or remove files (protocol step 11).
  *
  * The order of its records is the order of the replacements. A job needs no claim, and fences no other job.
  * A job carries out the newest record, takes a [[Cut]] of every other log, lists the files, and creates the
  * next record. If another job has created this record, the job starts again. So one of any number of jobs
  * always succeeds.
  */
private[stoplog] final class Replacements(
    logs: PathLogs,
    followUps: FollowUps,
    onLost: LostPart,
    tools: DriverTools
) {
  import Replacements._
  import tools.{announcing, clock, faults, parallel}

  private val log  = logs.replacements
  private val cuts = new Cuts(logs, tools)

  /** Carries out the newest record, and returns the record.
    *
    * Errors: those of [[carryOut]]; a called-off record is not an error.
    */
  def recover(): Option[LogRecord] = {
    val newest = log.newest()
    newest.foreach { record =>
      if (!log.isPublished(record)) OtherTargets.keep(logs.files, record)
      parallel.uninterrupted(settling(record).carryOutAgain(record))
      announcing.recovered(record.seq)
      sweep(record)
    }
    newest
  }

  /** Decides which files a job replaces, and by which parts. The job must be announced.
    *
    * Returns `None` if `plan` abandons the replacement.
    *
    * Errors: `STOPLOG_BATCH_UNKNOWN`, after which the record may exist; `STOPLOG_PATH_NOT_WRITABLE`, errors
    * of `plan`, and errors of carrying out other records, after which nothing is decided.
    */
  def decide(plan: Plan): Option[LogRecord] = decide(plan, left = MostTries)

  /** Carries out a record that this run has just decided.
    *
    * Errors: `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_STORE_WRITE`.
    */
  def carryOut(record: LogRecord): Settled = parallel.uninterrupted {
    faults.at(Step.AfterRecord)
    OtherTargets.keep(logs.files, record)
    val settled = settling(record).carryOut(record)
    announcing.settled(record, settled.outcome)
    Log.tolerating(
      s"Old records of the replacements under ${logs.path} could not be removed; the next job tries again"
    ) {
      log.trim(record, announcing.keepFrom(record.seq))
    }
    faults.at(Step.AfterTrim)
    settled
  }

  /** Returns whether the newest record belongs to this job and was not carried out. */
  def isPending(job: String): Boolean =
    log.newest().exists(newest => newest.state.queryId == job && !log.isPublished(newest))

  /** Returns whether the job decides nothing more, and its record was carried out or called off. An announced
    * compaction job may decide again.
    */
  def isOver(job: String): Boolean =
    log.all().filter(_.state.queryId == job).lastOption.exists { record =>
      record.kind != RecordKind.Compact &&
      (log.isPublished(log.reread(record.seq)) || log.overtaken(record.seq).isDefined)
    }

  @tailrec
  private def decide(plan: Plan, left: Int): Option[LogRecord] = {
    val before = recover()
    val cut    = cuts.take()
    faults.at(Step.CutTaken)
    Obstacle
      .rewinding(cut)
      .orElse(Obstacle.writing(cut.streams.view.mapValues(_.state).toMap, plan.excludesOpen))
      .foreach(obstacle => throw obstacle.refusal(logs.path))
    plan.files(Obstacle.compactable(cut)) match {
      case None        => None
      case Some(found) =>
        val record = cuts.publishedAfter(cut).map { later =>
          recordOf(plan, before, replaced(plan, cut, found.filterNot(file => later(file.path))))
        }
        faults.at(Step.BeforeRecord)
        if (record.exists(isDecided(plan.job, _))) record
        else if (left > 1) decide(plan, left - 1)
        else throw Errors.pathNotWritable(logs.path, Crowded)
    }
  }

  private def replaced(plan: Plan, cut: Cut, files: Vector[FinishedPart]): ReplacedSet = {
    Obstacle.compacting(cut, files).foreach(obstacle => throw obstacle.refusal(logs.path))
    ReplacedSet
      .of(files, logs.replacing(plan.job, plan.kind).finished)
      .fold(file => throw Obstacle.Unhideable(file).refusal(logs.path), identity)
  }

  private def recordOf(plan: Plan, before: Option[LogRecord], files: ReplacedSet): LogRecord = {
    val content = plan.content(files)
    logs.replacing(plan.job, plan.kind).committer.refuseLost(content.publish)
    LogRecord(
      before.fold(0L)(_.seq + 1),
      plan.kind,
      plan.run,
      clock.millis(),
      content.publish,
      LogIdentity.in(stateOf(plan.job, before), before, plan.run),
      content.follow,
      files.parts
    )
  }

  /** Two records of one log never have the same preceding run, except records of one run. */
  private def stateOf(job: String, before: Option[LogRecord]): SinkState =
    SinkState(
      QueryEpoch(job, Some(0)),
      Vector.empty,
      nextPart = 0,
      Map(SinkState.FollowsKey -> before.fold("")(_.run.value))
    )

  /** Unlike a driver, a job is not fenced by a newer record that follows the job's record: the other job has
    * carried the record out. A record created long after its place was trimmed does not count, and no record
    * follows.
    */
  private def isDecided(job: String, record: LogRecord): Boolean =
    try
      log.append(record) match {
        case CommitLog.Decided      => true
        case CommitLog.Overtaken(_) => isFollowed(record)
      }
    catch { case NonFatal(e) => throw Errors.batchUnknown(job, logs.path, log.describe(record.seq), e) }

  private def isFollowed(record: LogRecord): Boolean = {
    val kept = log.all()
    def next = kept.find(_.seq == record.seq + 1)
    if (kept.exists(other => other.seq == record.seq && other.run == record.run))
      next.exists(_.state.settings.get(SinkState.FollowsKey).contains(record.run.value))
    else if (log.decisionAt(record.seq).isDefined) false // of another job, or created too late
    else throw new IllegalStateException(s"record ${record.seq} of the replacements was removed meanwhile")
  }

  private def settling(record: LogRecord): RecordExecutor = {
    val job      = record.state.queryId
    val identity = SinkIdentity(logs.path, SinkId, job)
    new RecordExecutor(logs.replacing(job, record.kind), identity, onLost, followUps, tools, fenced)
  }

  /** Returns why a record must not be carried out. A process creates a record in the log of a job that
    * appears dead, and looks here before it removes the job's parts. The job creates its record here, and
    * then looks in its own log. So one of the two sees the other.
    */
  private def fenced(record: LogRecord): Option[String] =
    logs.storesOf(record.state.queryId).log.newest().map(_ => "another job has declared it dead")

  /** Restores files hidden late for a called-off record; deletes hidden files of carried-out records. */
  private def sweep(newest: LogRecord): Unit = {
    val finished = logs.replacing(newest.state.queryId, RecordKind.Compact).finished
    finished.hiddenFor().filter(_ <= newest.seq).foreach { seq =>
      if (log.provesExecuted(seq)) finished.purge(seq) else finished.restoreLate(seq)
    }
  }
}

private[stoplog] object Replacements {

  /** The name of the log. No sink has this id. */
  val SinkId: String = "replace"

  /** A replacement, as planned by its job. */
  trait Plan {

    /** The name of the job's directory. */
    def job: String
    def run: RunId
    def kind: RecordKind

    /** Returns whether no query may have open parts in a bucket: the rows would appear next to the new rows
      * later. By default, the parts of queries stay, and appear later.
      */
    def excludesOpen(bucket: String): Boolean = false

    /** Returns the current files to replace; `None` abandons the replacement. Called for each try.
      *
      * @param isFree whether no query may compact the file of this path
      */
    def files(isFree: String => Boolean): Option[Vector[FinishedPart]]

    /** Returns the parts that replace these files, and the follow-up. */
    def content(files: ReplacedSet): Content
  }

  /** The published parts of a record, and the follow-up once the parts are visible. */
  final case class Content(publish: Vector[Pending], follow: FollowUp = FollowUp.nothing)

  /** Each try fails because another job has decided; a day of back-fills needs fewer tries. */
  private final val MostTries = 10000

  private final val Crowded =
    "other jobs replace files there continuously. Run the job again when fewer jobs run"
}
