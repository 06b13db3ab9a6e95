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

/** The commit log as one run drives it: the only class that writes records, and that carries out what they decide.
  *
  * Streaming sinks, batch jobs, compactions and tools are its users. What they may decide is their business; in which
  * order anything happens, who is fenced, and what is done after a crash is this one's (`docs/correctness/protocol.md`). Used by
  * one thread at a time (I4).
  */
private[stoplog] final class Ledger(
    run: RunId,
    identity: SinkIdentity,
    stores: Ledger.Stores,
    onLost: LostPart,
    followUps: FollowUps,
    tools: DriverTools
) {
  import tools.{clock, faults, parallel}

  private val log      = stores.log
  private val settling = new Settling(stores, identity, onLost, followUps, tools)
  private val orphans  = new OrphanCleaner(stores, parallel, clock, faults)

  private var newest        = Option.empty[LogRecord]
  private var lost          = Option.empty[Throwable]
  private var triedToSettle = false
  private var decided       = Option.empty[Stopwatch]

  /** The place of the next record. */
  def nextSeq: Long = newest.fold(0L)(_.seq + 1)

  /** The time since this run began to write its newest record; `None` before the first. */
  def sinceRecord: Option[Stopwatch] = decided

  /** Whether another run goes on from here, or may do so: this one can decide nothing more. */
  def isLost: Boolean = lost.isDefined

  /** Step 1: carries out what the newest record says, unless that was done, and answers with it. Claims nothing, and is
    * safe beside a living driver.
    *
    * Errors: those of [[settle]], `STOPLOG_LOG_OF_ANOTHER_KIND`.
    */
  def recover(): Option[LogRecord] = log.newest().map(recovered)

  /** The same with the newest record as it was read. */
  def recover(record: LogRecord): Settled = {
    refuseOtherKind(record)
    parallel.uninterrupted(settling.carryOutAgain(record))
  }

  /** The newest record, for a run that is to go on from it. Error: `STOPLOG_LOG_GAP`. */
  def newestWithoutGap(): Option[LogRecord] = {
    val found = log.newest()
    log.refuseGap(identity.path, identity.sinkId)
    found
  }

  /** See [[CommitLog.all]]. */
  def kept(): Vector[LogRecord] = log.all()

  def isCarriedOut(record: LogRecord): Boolean = log.isPublished(record)

  /** Step 2: makes this run the one that writes the log, with the first record that is its own. The run that wrote it
    * before is fenced from here on.
    *
    * The record to be carried out first, and the place of the claim, come from one look at the log. So no decision of
    * another run between the two is left without being carried out: the place is taken then, and all begins anew.
    *
    * @param claimed the state to go on from; may refuse, and is called at each try
    * Errors: `STOPLOG_LOG_OF_ANOTHER_KIND`, those of `claimed` and [[settle]], `STOPLOG_FENCED`, `STOPLOG_LOG_GAP`.
    */
  def claim(claimed: Option[LogRecord] => SinkState): LogRecord = claim(claimed, left = Ledger.Tries)

  /** The same with one try, and only if the log still ends with record `seenSeq`, or with this run's own claim: its outcome
    * was not known if it failed behind its record. Another run that has written since is alive, and must not be fenced by a
    * run that has nothing to write.
    */
  def claimIfEndsWith(seenSeq: Long)(claimed: LogRecord => Option[SinkState]): Option[LogRecord] = for {
    found <- log.newest() if found.seq == seenSeq || found.run == run
    state <- claimed(found)
    claim <- tryClaim(Some(found), record => record.flatMap(claimed).getOrElse(state)).toOption
  } yield claim

  /** Step 6, its first half: decides, by a record behind the one that this run wrote before (I3), on parts that it can
    * see (I7).
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PLACE_CHANGED`, `STOPLOG_STORE_WRITE`, `STOPLOG_UNKNOWN_OUTCOME`; after any of them
    * the run is lost, and only a new one, which reads the log, goes on (I5). Those of a committer that misses a part,
    * such as `STOPLOG_PATH_NOT_SHARED`: no record is written.
    */
  def append(entry: Ledger.Entry): LogRecord = {
    lost.foreach(throw _)
    refuseLost(entry.publish)
    val started = new Stopwatch(clock)
    val record  = recordOf(entry, clock.millis())
    val outcome =
      try parallel.uninterrupted(log.append(record))
      catch { case NonFatal(e) => throw losing(e) }
    outcome match {
      case CommitLog.Decided =>
        newest = Some(record)
        triedToSettle = false
        decided = Some(started)
        record
      case CommitLog.Overtaken(byRun) => throw losing(fenced(record.seq, byRun))
    }
  }

  /** Step 6, its second half: what the record decides is carried out and marked, and old records go. May be called again
    * after an error, until it succeeds.
    *
    * A run that another one has fenced meanwhile is told so, as its parts may have come and gone without it. It looks
    * for that where there is reason to: the others have published something of it, or it took long.
    *
    * Returns whether the record was called off. A record that replaces no file never is.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_NAME_TAKEN`, `STOPLOG_PART_SHORT`, `STOPLOG_STORE_WRITE`, and
    * those of a user's listener.
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
    // after every record, for parts may stay open much longer than the log may grow
    Log.tolerating(
      s"Old records of ${identity.path} (${identity.sinkId}) could not be removed; it is tried again later"
    ) {
      log.trim(record)
    }
    faults.at(Step.AfterTrim)
    settled
  }

  /** Step 10: removes files that no record names and no run can be writing any more; answers their number. */
  def sweep(): Int = orphans.sweep(run)

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
      case Left((claim, byOther)) => throw losing(fenced(claim.seq, byOther))
    }

  /** The claim, or what was to be one and the run that was faster. */
  private def tryClaim(
      found: Option[LogRecord],
      claimed: Option[LogRecord] => SinkState
  ): Either[(LogRecord, String), LogRecord] = {
    found.foreach(refuseOtherKind) // first: the advice of any other refusal would be wrong
    val asFound = claimed(found) // a run that is refused carries out nothing
    parallel.uninterrupted {
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
          faults.at(Step.AfterClaim)
          Right(claim)
        case CommitLog.Overtaken(byRun) => Left(claim -> byRun)
      }
    }
  }

  /** The record, with the state that counts if it was called off now. */
  private def recovered(record: LogRecord): LogRecord = recover(record) match {
    case _: Settled.Shown     => record
    case _: Settled.CalledOff => log.leaving(record)
  }

  /** What a newer run has carried out or removed is not lost. */
  private def refuseLost(publish: Vector[Pending]): Unit =
    try stores.committer.refuseLost(publish.filter(_.sizeBytes > 0).map(_.handle.token))
    catch { case NonFatal(e) => throw newest.flatMap(fencedSince).fold(e)(becauseOf(_, e)) }

  private def recordOf(entry: Ledger.Entry, nowMillis: Long): LogRecord = LogRecord(
    nextSeq,
    entry.kind,
    run,
    nowMillis,
    entry.publish,
    stores.kind.in(entry.state),
    entry.follow,
    entry.replace.parts
  )

  private def refuseOtherKind(record: LogRecord): Unit = stores.kind.refuseOther(record.state, identity)

  /** The error of a run that another one has fenced, if the log answers and says so. */
  private def fencedSince(record: LogRecord): Option[Throwable] =
    try log.overtaken(record.seq).map(byRun => losing(fenced(record.seq + 1, byRun)))
    catch { case NonFatal(_) => None }

  private def becauseOf(fenced: Throwable, failure: Throwable): Throwable = {
    fenced.addSuppressed(failure)
    fenced
  }

  private def fenced(seq: Long, byRun: String): Throwable =
    Errors.fenced(identity.path, identity.sinkId, seq, byRun)

  private def losing(reason: Throwable): Throwable = {
    lost = Some(reason)
    reason
  }
}

private[stoplog] object Ledger {

  /** Whether [[append]] failed before its record could be there, or because another one has its place. */
  def decidedNothing(failure: Throwable): Boolean = failure match {
    case named: StoplogException =>
      Set("STOPLOG_FENCED", "STOPLOG_PATH_NOT_SHARED").contains(named.getCondition)
    case _ => false
  }

  /** A log, and the stores of the files that it names. */
  trait Stores {

    /** The kind of the sink that the log belongs to. */
    def kind: SinkKind

    def log: CommitLog
    def committer: TwoPhaseCommitter
    def spoolFiles: SpoolFiles
    def finished: ReplacedFiles
  }

  object Stores {

    /** For a log that names nothing but what this commits. */
    def of(sinkKind: SinkKind, commits: CommitLog, target: TwoPhaseCommitter): Stores = new Stores {
      override def kind: SinkKind               = sinkKind
      override def log: CommitLog               = commits
      override def committer: TwoPhaseCommitter = target
      override def spoolFiles: SpoolFiles       = SpoolFiles.none
      override def finished: ReplacedFiles      = ReplacedFiles.none
    }
  }

  /** The content of a record to be written. */
  final case class Entry(
      kind: RecordKind,
      state: SinkState,
      publish: Vector[Pending] = Vector.empty,
      follow: FollowUp = FollowUp.nothing,
      replace: ReplacedSet = ReplacedSet.empty
  )

  /** A living driver writes a record with each epoch; a run that loses that often has met one that will not end. */
  private final val Tries = 20

  /** No operator or cluster manager notices a sleeping driver and has a new one claim the log in less time. */
  private final val UnobservedMillis = 5000L
}
