// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.fault.Step
import stoplog.log.{LogRecord, RecordKind, SinkState}
import stoplog.part.{Pending, RunId}
import stoplog.plan.{EpochPlan, TaskResult}
import stoplog.rolling.{OnCheckpointRollingPolicy, PolicyOfAllParts, RollReason}
import stoplog.storage.NoFiles
import stoplog.thread.Stopwatch
import stoplog.writing.PartFormat

/** The driver's half of the commit protocol, for one run of one query. Independent of any engine.
  *
  * An epoch consists of [[begin]], the tasks, and then [[commit]] or [[abort]]. A timer calls [[tick]], and
  * the end of the query [[end]]. Any thread may call them; a [[DriverLock]] separates the calls (I4).
  */
private[stoplog] final class SinkDriver private[commit] (
    run: RunId,
    identity: SinkIdentity,
    settings: SinkSettings,
    stores: Ledger.Stores,
    parts: OpenParts,
    rules: DriverRules,
    tools: DriverTools
) {
  import Phase._
  import SinkDriver._
  import rules.{compaction, followUps, policy}
  import tools.{clock, faults, lock}

  private val ledger     = new Ledger(run, identity, stores, rules.onLost, followUps, tools)
  private val completing = new BucketTracker(followUps, tools.parallel, tools.retry)
  private val sweeps     = new Sweeps(ledger, followUps, clock)
  private val starting   = new StartCheck(identity, () => ledger.kept())
  private val oneStart   = new OneStart(rules.onForeign, run.value)

  // Written with the lock held.
  @volatile private var phase: Phase = Unclaimed
  private var hasBegun               = false
  @volatile private var seen         = SinkStats.empty

  /** Returns the figures of this run so far: its work and its open parts. */
  def stats: SinkStats = if (ledger.isFenced) seen.fenced else seen

  /** Returns whether the run does nothing more, because the log is lost or the run has ended. */
  def isOver: Boolean = phase.isOver

  /** Returns whether this run has written no record for `millis`; false unless the run holds the claim. */
  def hasNoRecordFor(millis: Long): Boolean =
    phase.known.isDefined && ledger.sinceRecord.forall(_.longestMillis >= millis)

  /** Sets the watermark of a finished epoch: all rows on time for this watermark are in the log. */
  def reached(watermarkMillis: Long): Unit = completing.reached(watermarkMillis)

  /** Returns the length of the longest part that [[end]] could close only in a copy; 0 without a part. */
  def largestDoubtfulBytes: Long = phase.doubtful.map(_.validBytes).maxOption.getOrElse(0L)

  /** Passes the newest record to a run without an epoch, so that [[tick]] and [[end]] can work before it.
    *
    * Spark starts no epoch without data, and parts of an earlier run must not stay open that long. The run
    * acts only as long as the log ends with record `seenSeq`.
    * @param counted the figures of the run whose query this run ends, as the initial value of [[stats]]
    */
  def waitFrom(seenSeq: Long, counted: SinkStats = SinkStats.empty): Unit = {
    lock.acquire()
    try if (phase == Unclaimed) { phase = Waiting(seenSeq); seen = counted }
    finally lock.release()
  }

  /** Steps 2 and 3: claims the log in the run's first epoch, then hands out the open parts.
    *
    * @param digests the digests of batches, if known to the engine: a repeated batch, and the batch preceding
    *                the run's first, must equal the batches of the log
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_EPOCH_REPLANNED`,
    * `STOPLOG_SETTINGS_CHANGED`, `STOPLOG_FENCED`, and errors of recovery, such as `STOPLOG_PART_LOST`,
    * `STOPLOG_RECORD_TORN`.
    */
  def begin(batch: Long, slots: Int, digests: BatchDigests = BatchDigests.unknown): EpochPlan = {
    val planned = new Planned(batch, digests)
    if (phase.isInstanceOf[Running]) abort() // Spark has abandoned it: one epoch at a time
    lock.acquire()
    try {
      val held = phase match {
        case Unclaimed | Waiting(_) => claimed(claim(planned))
        case held: Idle             => held
        case Fenced(reason)         => throw reason
        case other                  => throw new IllegalStateException(s"an epoch was started while $other")
      }
      starting.sequence(held.state, planned)
      if (!hasBegun)
        starting.requireContinuation(held.state, planned) // a run may claim before its first epoch
      hasBegun = true
      val ready = compacted(resumed(settled(held)))
      if (!compaction.isCompacting) sweeps.sweepListed()
      val plan = EpochPlan.of(run, ready.newest.seq, ready.state, slots, clock.millis())
      phase = Running(ready, plan, planned.digest)
      plan
    } catch { case e: Throwable => lock.release(); throw e }
  }

  /** Step 6: one record decides; then its parts become visible. An epoch in the log is not written again.
    *
    * Errors: `STOPLOG_FENCED` (nothing was published), `STOPLOG_STORE_WRITE`, `STOPLOG_UNKNOWN_OUTCOME`, and
    * errors of publishing, after which the record is valid.
    */
  def commit(epoch: Long, results: Seq[TaskResult]): Unit = phase match {
    case Running(held, plan, _) if plan.isCommitted(epoch) => endEpoch(held)
    case Running(held, plan, batch)                        =>
      try {
        faults.at(Step.BeforeRecord)
        val now   = clock.millis()
        val draft = EpochOutcome.of(plan, results, policy, settings.schema.id, now)
        stores.committer.output.refuseLost(draft.begun.map(_.handle.token))
        val known   = held.by(now).state.copy(open = draft.open, nextPart = draft.nextPart)
        val state   = known.after(Some(epoch), batch)
        val next    = completing.next(state, draft.closed, draft.due, compaction, now)
        val publish = draft.closed ++ endingOnLoss(parts.fencedAndClosed(next.due, held.newest.seq))
        val decided = record(held, RecordKind.Epoch(epoch), publish, next)
        seen = seen.rejected(results.map(_.rejectedRows).sum)
        val done = settled(decided)
        if (PolicyOfAllParts.in(policy).isDefined) rollDue(done) // tasks do not call this policy
      } catch {
        case e: Throwable if phase.isInstanceOf[Running] => // no known record was written
          phase = held.abandoned
          throw e
      } finally lock.release()
    case other => throw new IllegalStateException(s"epoch $epoch was committed while $other")
  }

  /** Step 7: the epoch or its commit failed. Deletes nothing (I5): attempts may still run, and the record may
    * exist. Has no effect without a running epoch.
    */
  def abort(): Unit = phase match {
    case Running(held, _, _) => endEpoch(held.abandoned)
    case _                   => ()
  }

  /** Step 8: closes parts due by the clock, unless an epoch runs. Returns whether to continue ticking. */
  def tick(): Boolean =
    if (!lock.tryAcquire()) true
    else
      try {
        phase match {
          case held: Idle       => rollDue(held)
          case Waiting(seenSeq) => claimIdle(seenSeq)(mustStart).foreach(rollDue)
          case _                => ()
        }
        !isOver
      } finally lock.release()

  /** Step 9: ends the query. Returns the number of its last record, if the run wrote a record. */
  def end(finish: Finish): Option[Long] = {
    abort()
    lock.acquire()
    ended(finish)
  }

  /** Ends an idle query when the process ends. Returns false and changes nothing if the query is at work. */
  def endIfIdle(finish: Finish): Boolean = lock.tryAcquire() && { ended(finish); true }

  private def ended(finish: Finish): Option[Long] =
    try
      phase match {
        case held: Idle                                       => Some(release(held, finish))
        case Waiting(seenSeq) if finish == Finish.PublishOpen =>
          claimIdle(seenSeq)(state => state.open.nonEmpty || completing.isDue(state, clock.millis()))
            .map(release(_, finish))
        case _ => None
      }
    finally {
      phase = Closed
      lock.release()
    }

  private def claimIdle(seenSeq: Long)(isDue: SinkState => Boolean): Option[Idle] =
    ledger
      .claimIfEndsWith(seenSeq) { newest =>
        Option.when(
          newest.state.queryId == identity.queryId && (isDue(newest.state) || !ledger.isCarriedOut(newest))
        ) {
          StartCheck.sameSettings(newest.state, identity, settings)
          asClaimed(newest.state, Some(newest.run))
        }
      }
      .map { claim =>
        phase = Waiting(claim.seq) // for the next tick, if the look for lost parts fails
        claimed(claim)
      }

  /** Returns whether work is due. Only a claim corrects part times ahead of the clock, so these count. */
  private def isDue(state: SinkState, nowMillis: Long): Boolean =
    state.open.exists(_.isAhead(nowMillis)) ||
      PolicyOfAllParts.due(policy, state.open, nowMillis).exists(_.isDefined) ||
      completing.isDue(state, nowMillis)

  private def claim(planned: Planned): LogRecord =
    try
      ledger.claim { newest =>
        if (phase.isInstanceOf[Waiting]) StartCheck.notReset(newest, identity)
        val state = starting.start(newest, settings, oneStart.now(newest.map(_.state)), planned)
        asClaimed(state, newest.map(_.run))
      }
    catch { case NonFatal(e) => phase = Fenced(e); throw e }

  private def asClaimed(state: SinkState, before: Option[RunId]): SinkState = {
    val noted = oneStart.claimed(Rewind.over(state.settings) ++ settings.noted)
    parts.claimed(state.by(clock.millis()).copy(settings = noted), before)
  }

  private def claimed(claim: LogRecord): Idle = {
    val held = Idle(claim, parts.withoutLost(claim.state), settled = false, resumed = false)
    phase = held
    seen = seen.claimed(held.state.open, ledger.recoveryMillis)
    if (claim.seq == 0) sweeps.skip() else sweeps.sweep(claim) // no task writes before the first claim
    held
  }

  /** Closes the parts of earlier runs unless this run resumes the parts: other formats and layouts do not
    * fit, or the user wants new parts. Repeated until success.
    */
  private def resumed(held: Idle): Idle =
    if (held.resumed) held
    else {
      val state = held.state.copy(settings = OneStart.carried(held.state.settings, settings.toMap))
      if (held.state.settings.getOrElse(SinkSettings.ContentKey, "") != settings.content)
        roll(held, closing(state.copy(small = Vector.empty), SinkSettings.ContentChanged))
      else if (finishes(held.state)) rollIfDue(held, closing(state, Restarted))
      else held.copy(state = state, resumed = true)
    }

  private def finishes(state: SinkState): Boolean =
    rules.onRestart == Finish.PublishOpen && state.open.nonEmpty

  /** Returns whether to start without an epoch. A run that may set the log back waits for its first epoch. */
  private def mustStart(state: SinkState): Boolean =
    !oneStart.mayRepeat(state) && (finishes(state) || isDue(state, clock.millis()))

  /** Decides on a finished compaction, or starts a due compaction. Never waits: an epoch starts next. */
  private def compacted(held: Idle): Idle = {
    val next =
      compaction.next(completing.compactable(held.state), completing.closing(held.state, clock.millis()))
    val known = held.copy(state = next.state)
    phase = known
    next.replacement.fold(known) { replaced =>
      val completion = completing.replacing(next.state, replaced.inputs.parts, clock.millis())
      settled(record(known, RecordKind.Compact, Vector(replaced.compacted), completion, replaced.inputs))
    }
  }

  /** Compacts until nothing is due any more. */
  @tailrec
  private def compactedWhole(held: Idle): Idle = {
    val next = compacted(held)
    compaction.await()
    if (compaction.isCompacting || next.newest.seq != held.newest.seq) compactedWhole(next) else next
  }

  private def rollDue(held: Idle): Unit = {
    val now   = clock.millis()
    val ready = compacted(resumed(settled(held))).by(now)
    phase = ready // with times ahead of the clock corrected once: the clock was set back
    val (closed, open) = EpochOutcome.byClock(ready.state.open, policy, now)
    rollIfDue(ready, left(ready.state.copy(open = open), closed))
    // no record names the output of a running compaction, however long the compaction runs
    if (!compaction.isCompacting) phase.known.foreach(sweeps.sweepIfDue)
  }

  private def left(state: SinkState, due: Vector[EpochOutcome.PartToClose]): BucketTracker.Completion =
    completing.next(state, Vector.empty, due, compaction, clock.millis())

  private def closing(state: SinkState, reason: RollReason): BucketTracker.Completion =
    left(state.copy(open = Vector.empty), state.open.map(EpochOutcome.PartToClose(_, reason)))

  private def rollIfDue(held: Idle, next: BucketTracker.Completion): Idle =
    if (next.isEmpty) held
    else {
      faults.at(Step.BeforeRoll)
      roll(held, next)
    }

  private def roll(held: Idle, next: BucketTracker.Completion): Idle =
    settled(record(held, RecordKind.Roll, closed(held, next.due), next))

  /** Closes parts. A failed write may still take effect, so no run may resume parts in place then (I1). */
  private def closed(held: Idle, due: Vector[EpochOutcome.PartToClose]): Vector[Pending] = {
    val fenced = endingOnLoss(parts.fenced(due, held.newest.seq))
    try endingOnLoss(parts.close(fenced, held.newest.seq))
    catch {
      case e: Throwable =>
        if (!isOver) phase = held.abandonedFor(due.map(_.part))
        throw e
    }
  }

  private def release(held: Idle, finish: Finish): Long = {
    faults.at(Step.BeforeRelease)
    val owned = resumed(settled(held))
    val ready = finish match {
      case Finish.PublishOpen if compaction != Compaction.Off => // only now can the last parts be compacted
        compactedWhole(rollIfDue(owned, closing(owned.state, RollReason.End)))
      case _ => owned
    }
    val next =
      if (finish == Finish.PublishOpen) closing(ready.state, RollReason.End)
      else left(ready.state, Vector.empty)
    settled(record(ready, RecordKind.Release, closed(ready, next.due), next)).newest.seq
  }

  /** Appends the next record. Until [[settled]], its parts are decided and not yet visible. */
  private def record(
      held: Idle,
      kind: RecordKind,
      publish: Vector[Pending],
      completion: BucketTracker.Completion,
      replace: ReplacedSet = ReplacedSet.empty
  ): Idle = {
    val started             = new Stopwatch(clock)
    val (completed, follow) = completion.decided(publish, Manifests.path(identity.sinkId, ledger.nextSeq))
    val state               = compaction.noting(completed, publish)
    val next                = endingOnLoss(ledger.append(Ledger.Entry(kind, state, publish, follow, replace)))
    val decided             = Idle(
      next,
      state,
      settled = false,
      resumed = true,
      held.state.spoolFiles ++ completion.spoolFiles -- state.spoolFiles
    )
    phase = decided
    seen = seen
      .recorded(next, started.millis, if (kind.isInstanceOf[RecordKind.Epoch]) 1 else 0)
      .late(completion.late)
    decided
  }

  /** Makes the record's parts visible; required before the next record and the next epoch. */
  private def settled(held: Idle): Idle =
    if (held.settled) held
    else {
      val started = new Stopwatch(clock)
      val settled = endingOnLoss(ledger.settle(held.newest))
      if (held.newest.hasToBeSettled) seen = seen.published(held.newest.as(settled.outcome), started.millis)
      val state = settled.after(held.newest, held.state)
      val done  = held.copy(state = state, settled = true, unneeded = Set.empty)
      phase = done
      tools.parallel.uninterrupted(parts.drop(held.unneeded))
      done
    }

  /** Ends the run if the log is lost or the outcome of the last record is unknown (I5). */
  private def endingOnLoss[A](action: => A): A =
    try action
    catch {
      case NonFatal(e) =>
        ledger.note(e)
        if (ledger.isLost) phase = Fenced(e)
        throw e
    }

  private def endEpoch(held: Idle): Unit = { phase = held; lock.release() }
}

private[stoplog] object SinkDriver {

  /** Creates the driver of a file sink. `format` writes the missing rows of parts that the driver closes. */
  def ofParts(
      run: RunId,
      identity: SinkIdentity,
      settings: SinkSettings,
      stores: SinkStores,
      format: () => PartFormat[_],
      rules: DriverRules,
      tools: DriverTools
  ): SinkDriver = {
    val refuse = stores.log.refuseIfOvertaken(identity.path, identity.sinkId, _)
    val parts  = new OpenParts.Stored(run, stores, format, rules.onLost, refuse, tools)
    new SinkDriver(run, identity, settings, stores, parts, rules, tools)
  }

  /** Creates the driver of a sink whose tasks prepare all rows of an epoch. */
  def ofPrepared(
      run: RunId,
      identity: SinkIdentity,
      settings: SinkSettings,
      stores: Ledger.Stores,
      onForeign: ForeignQuery,
      onLost: LostPart,
      tools: DriverTools
  ): SinkDriver = {
    val none  = FollowUps.none(identity.sinkId, NoFiles)
    val rules = DriverRules(OnCheckpointRollingPolicy(), none, onForeign, onLost)
    new SinkDriver(run, identity, settings, stores, OpenParts.Never, rules, tools)
  }

  /** The roll reason of parts left open by an earlier run. */
  private val Restarted = RollReason.Custom("restart")
}
