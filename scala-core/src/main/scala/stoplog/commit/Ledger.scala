// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.error.{Errors, Log, StoplogException}
import stoplog.fault.Step
import stoplog.log._
import stoplog.part.{Pending, RunId}
import stoplog.sink.TwoPhaseCommitter
import stoplog.storage.{ReplacedFiles, SpoolFiles}
import stoplog.thread.Stopwatch

/** The commit log of one run. Only this class appends records to the log of a sink or a job, and carries out
  * the decisions.
  *
  * Streaming sinks, batch jobs, compactions and tools use a `Ledger`. Callers choose the decision. `Ledger`
  * defines the order of steps, fencing and recovery (`docs/correctness/protocol.md`). Used by one thread at a
  * time (I4), except [[orphanCandidates]].
  */
private[stoplog] final class Ledger(
    run: RunId,
    identity: SinkIdentity,
    stores: Ledger.Stores,
    onLost: LostPart,
    followUps: FollowUps,
    tools: DriverTools
) {
  import tools.{announcing, clock, faults, parallel}

  private val log      = stores.log
  private val settling = new RecordExecutor(stores, identity, onLost, followUps, tools)
  private val orphans  = new OrphanCleaner(stores, log, parallel, clock, faults)

  private var newest        = Option.empty[LogRecord]
  private var lost          = Option.empty[Throwable]
  private var triedToSettle = false
  private var decided       = Option.empty[Stopwatch]

  @volatile private var overtaken   = false
  @volatile private var tookToClaim = 0L

  /** Returns the number of the next record. */
  def nextSeq: Long = newest.fold(0L)(_.seq + 1)

  /** Returns the time since this run started to write its newest record; `None` before the first record. */
  def sinceRecord: Option[Stopwatch] = decided

  /** Returns whether another run has continued from here or may have; this run can decide nothing more. */
  def isLost: Boolean = lost.isDefined

  /** Returns whether a newer run has fenced this run. */
  def isFenced: Boolean = overtaken

  /** Returns the duration of the recovery and of the claim, in milliseconds; 0 before the claim. */
  def recoveryMillis: Long = tookToClaim

  /** Step 1: carries out the newest record, unless this was done already, and returns the record. Claims
    * nothing, and is safe while another driver is alive.
    *
    * Errors: those of [[settle]], `STOPLOG_LOG_OF_ANOTHER_KIND`.
    */
  def recover(): Option[LogRecord] = log.newest().map(recovered)

  /** Carries out the newest record, which the caller has already read. */
  def recover(record: LogRecord): Settled = {
    refuseOtherKind(record)
    parallel.uninterrupted(settling.carryOutAgain(record))
  }

  /** Returns the newest record for a run that resumes from the record. Error: `STOPLOG_LOG_GAP`. */
  def newestWithoutGap(): Option[LogRecord] = {
    val found = log.newest()
    log.refuseGap(identity.path, identity.sinkId)
    found
  }

  /** See [[CommitLog.all]]. */
  def kept(): Vector[LogRecord] = log.all()

  def isCarriedOut(record: LogRecord): Boolean = log.isPublished(record)

  /** Step 2: appends the first record of this run, which makes this run the writer of the log. The previous
    * run is fenced from here on.
    *
    * One read of the log determines both the record to carry out and the place of the claim. If another run
    * decides in between, the place is taken and the claim restarts. So every decision of another run is
    * carried out.
    *
    * @param claimed returns the state to resume from, or throws to reject the claim; called for each try
    * Errors: `STOPLOG_LOG_OF_ANOTHER_KIND`, those of `claimed` and [[settle]], `STOPLOG_FENCED`,
    * `STOPLOG_LOG_GAP`.
    */
  def claim(claimed: Option[LogRecord] => SinkState): LogRecord = claim(claimed, left = Ledger.Tries)

  /** Claims with one try, and only if the log still ends with record `seenSeq`, or with this run's own claim
    * after an unknown outcome. If another run has written since, the other run is alive: a run with nothing
    * to write must not fence a living run.
    */
  def claimIfEndsWith(seenSeq: Long)(claimed: LogRecord => Option[SinkState]): Option[LogRecord] = for {
    found <- log.newest() if found.seq == seenSeq || found.run == run
    state <- claimed(found)
    claim <- tryClaim(Some(found), record => record.flatMap(claimed).getOrElse(state)).toOption
  } yield claim

  /** Step 6, first half: appends a record after the newest record of this run (I3). The driver must see all
    * parts of the record (I7).
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PLACE_CHANGED`, `STOPLOG_STORE_WRITE`, `STOPLOG_UNKNOWN_OUTCOME`.
    * After any of these the run is lost, and only a new run, which reads the log, resumes (I5). Errors of a
    * committer without a staged part, such as `STOPLOG_PATH_NOT_SHARED`: no record is written.
    */
  def append(entry: Ledger.Entry): LogRecord = {
    lost.foreach(throw _)
    refuseLost(entry.publish)
    val started = new Stopwatch(clock)
    val record  = recordOf(entry, clock.millis())
    val outcome =
      try parallel.uninterrupted(log.append(record))
      catch { case NonFatal(e) => throw markLost(e) }
    outcome match {
      case CommitLog.Decided =>
        newest = Some(record)
        triedToSettle = false
        decided = Some(started)
        record
      case CommitLog.Overtaken(byRun) => throw markLost(fenced(record.seq, byRun))
    }
  }

  /** Step 6, second half: carries out and marks the record, and removes old records. After an error, callers
    * may repeat the call until success.
    *
    * Throws if another run has fenced this run meanwhile, because readers may have taken parts since. The
    * method checks for fencing if other processes have published something of the record, or if the record
    * took long.
    *
    * Returns whether the record was called off. A record without replaced files is never called off.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`,
    * `STOPLOG_STORE_WRITE`.
    */
  def settle(record: LogRecord): Settled = parallel.uninterrupted {
    val again = triedToSettle
    triedToSettle = true
    if (!again) passed(record.kind)
    val settled =
      if (!record.hasToBeSettled) Settled.Shown(alone = true)
      else
        try if (again) settling.carryOutAgain(record) else settling.carryOut(record)
        catch { case NonFatal(e) => throw fencedSince(record).fold(e)(becauseOf(_, e)) }
    if (!settled.alone || decided.forall(_.longestMillis > Ledger.UnobservedMillis))
      if (record.hasToBeSettled) fencedSince(record).foreach(throw _)
    announcing.settled(record, outcomeOf(record, settled, again))
    // after every record, because parts may stay open much longer than the log may grow
    Log.tolerating(
      s"Old records of ${identity.path} (${identity.sinkId}) could not be removed; it is tried again later"
    ) {
      log.trim(record, announcing.keepFrom(record.seq))
    }
    faults.at(Step.AfterTrim)
    settled
  }

  /** Notes an error of an action that looks at the log itself: if a newer run exists, this run is lost. */
  def note(failure: Throwable): Unit = failure match {
    case named: StoplogException if lost.isEmpty && named.getCondition == "STOPLOG_FENCED" =>
      overtaken = true
      markLost(named): Unit
    case _ => ()
  }

  /** Step 10: deletes files that no record names and no run can still write; returns their number. */
  def sweep(): Int = orphans.sweep(run)

  /** The same for files listed before by [[orphanCandidates]]. */
  def sweep(listed: Vector[OrphanCleaner.Found]): Int = orphans.sweep(run, listed)

  /** See [[OrphanCleaner.candidates]]. Any thread may call this method, also during an epoch. */
  def orphanCandidates(newest: LogRecord): Vector[OrphanCleaner.Found] = orphans.candidates(newest)

  /** After a repetition only the notes show the outcome of the earlier attempt. */
  private def outcomeOf(record: LogRecord, settled: Settled, again: Boolean): RecordOutcome = settled match {
    case _: Settled.Shown if again => log.outcome(record.seq)
    case other                     => other.outcome
  }

  private def passed(kind: RecordKind): Unit = kind match {
    case RecordKind.Claim   => ()
    case RecordKind.Release => faults.at(Step.AfterRelease)
    case _                  => faults.at(Step.AfterRecord)
  }

  @tailrec
  private def claim(claimed: Option[LogRecord] => SinkState, left: Int): LogRecord =
    tryClaim(newestWithoutGap(), claimed) match {
      case Right(claim)           => claim
      case Left(_) if left > 1    => claim(claimed, left - 1)
      case Left((claim, byOther)) => throw markLost(fenced(claim.seq, byOther))
    }

  /** Returns the claim, or the attempted claim and the run that was faster. */
  private def tryClaim(
      found: Option[LogRecord],
      claimed: Option[LogRecord] => SinkState
  ): Either[(LogRecord, String), LogRecord] = {
    found.foreach(refuseOtherKind) // first, because the advice of any other error would be wrong
    val asFound = claimed(found) // a rejected run carries out nothing
    parallel.uninterrupted {
      val started = new Stopwatch(clock)
      faults.at(Step.BeforeRepublish)
      val now = found.map(recovered)
      faults.at(Step.BeforeClaim)
      newest = found
      val state = if (now == found) asFound else claimed(now)
      val begun = new Stopwatch(clock)
      val claim = recordOf(Ledger.Entry(RecordKind.Claim, state), clock.millis())
      log.append(claim) match {
        case CommitLog.Decided =>
          newest = Some(claim)
          decided = Some(begun)
          tookToClaim = started.millis
          announcing.claimed(claim.seq)
          faults.at(Step.AfterClaim)
          Right(claim)
        case CommitLog.Overtaken(byRun) => Left(claim -> byRun)
      }
    }
  }

  /** Carries out the record, and returns the record with its state after a possible call-off. */
  private def recovered(record: LogRecord): LogRecord = recover(record) match {
    case shown: Settled.Shown if shown.skipped.nonEmpty =>
      record.copy(state = shown.after(record, record.state))
    case _: Settled.Shown     => record
    case _: Settled.CalledOff => log.reread(record.seq)
  }

  /** Throws if a part is lost, or the fencing error if a newer run has published or removed the part. */
  private def refuseLost(publish: Vector[Pending]): Unit =
    try stores.committer.refuseLost(publish)
    catch { case NonFatal(e) => throw newest.flatMap(fencedSince).fold(e)(becauseOf(_, e)) }

  private def recordOf(entry: Ledger.Entry, nowMillis: Long): LogRecord = LogRecord(
    nextSeq,
    entry.kind,
    run,
    nowMillis,
    entry.publish,
    LogIdentity.in(stores.kind.in(entry.state), newest, run),
    entry.follow,
    entry.replace.parts
  )

  private def refuseOtherKind(record: LogRecord): Unit = stores.kind.refuseOther(record.state, identity)

  /** Returns the error of a fenced run, if the log is readable and has a newer record. */
  private def fencedSince(record: LogRecord): Option[Throwable] =
    try log.overtaken(record.seq).map(byRun => markLost(fenced(record.seq + 1, byRun)))
    catch { case NonFatal(_) => None }

  private def becauseOf(fenced: Throwable, failure: Throwable): Throwable = {
    fenced.addSuppressed(failure)
    fenced
  }

  private def fenced(seq: Long, byRun: String): Throwable = {
    overtaken = true
    Errors.fenced(identity.path, identity.sinkId, seq, byRun)
  }

  private def markLost(reason: Throwable): Throwable = {
    lost = Some(reason)
    reason
  }
}

private[stoplog] object Ledger {

  /** Returns whether [[append]] failed before its record existed, or because another record has the place. */
  def decidedNothing(failure: Throwable): Boolean = failure match {
    case named: StoplogException =>
      Set("STOPLOG_FENCED", "STOPLOG_PATH_NOT_SHARED").contains(named.getCondition)
    case _ => false
  }

  /** A log, and the stores of the files that the log names. */
  trait Stores {

    /** Returns the kind of the sink that owns the log. */
    def kind: SinkKind

    def log: CommitLog
    def committer: PartCommitter
    def spoolFiles: SpoolFiles
    def finished: ReplacedFiles
  }

  object Stores {

    /** Creates the stores of a log whose records name only the output that `target` commits. */
    def of(sinkKind: SinkKind, commits: CommitLog, target: TwoPhaseCommitter): Stores = new Stores {
      override def kind: SinkKind           = sinkKind
      override def log: CommitLog           = commits
      override def committer: PartCommitter = new PartCommitter.OfCommitter(target)
      override def spoolFiles: SpoolFiles   = SpoolFiles.none
      override def finished: ReplacedFiles  = ReplacedFiles.none
    }
  }

  /** The content of a new record. */
  final case class Entry(
      kind: RecordKind,
      state: SinkState,
      publish: Vector[Pending] = Vector.empty,
      follow: FollowUp = FollowUp.nothing,
      replace: ReplacedSet = ReplacedSet.empty
  )

  /** A driver writes one record per epoch; a run that loses this often competes with a driver that stays. */
  private final val Tries = 20

  /** Milliseconds. No operator or cluster manager replaces a sleeping driver in less time. */
  private final val UnobservedMillis = 5000L
}
