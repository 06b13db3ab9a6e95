package stoplog.commit

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.log.{CommitLog, LogRecord, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Open, Pending, RunId}
import stoplog.rolling.{RollReason, RollingPolicy}
import stoplog.store.{FinishedStore, PartStore, SideStore}

/** The driver's half of the commit protocol, for one run of one query. Knows no engine.
  *
  * An epoch is [[begin]], the tasks, and then [[commit]] or [[abort]]. [[tick]] is for a timer and [[end]] for the
  * end of the query; all of them may be called from any thread, and a [[Turn]] keeps them apart (I4).
  */
final class SinkDriver(
    run: RunId,
    identity: SinkIdentity,
    settings: SinkSettings,
    policy: RollingPolicy,
    log: CommitLog,
    store: PartStore,
    sides: SideStore,
    format: () => PartFormat[_],
    choices: SinkDriver.Choices,
    tools: SinkDriver.Tools,
    finished: FinishedStore = FinishedStore.untouched,
    compaction: Compaction = Compaction.Off
) {
  import Phase._
  import SinkDriver._
  import tools.{clock, faults, turn}

  private val publisher =
    new Publisher(store, log, identity, choices.onLost, tools.parallel, tools.retry, faults, finished)
  private val claiming =
    new Claiming(log, store, publisher, identity, settings, choices.onForeign, tools)
  private val closer  = new Closer(store, format, tools.parallel, run, refuseIfOvertaken, faults)
  private val sweeper = new Sweeper(store, sides, finished, log, tools.parallel, clock, faults)

  // Written with the turn held.
  @volatile private var phase: Phase = Unclaimed
  private var sweptAtMillis          = 0L
  @volatile private var seen         = SinkStats.empty

  /** What this run has done so far, and holds. */
  def stats: SinkStats = seen

  /** Tells a run that has no epoch yet what it finds, so that [[tick]] and [[end]] can see to it without one.
    *
    * Spark begins no epoch without data, and what an earlier run left open must not wait for some. The run acts only
    * as long as the log ends with record `seenSeq`.
    */
  def waitFrom(seenSeq: Long): Unit = {
    turn.take()
    try if (phase == Unclaimed) phase = Waiting(seenSeq)
    finally turn.give()
  }

  /** Steps 2 and 3: claims the log in the run's first epoch, then hands out the open parts.
    *
    * Errors: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_GAP`, `STOPLOG_EPOCH_AHEAD`, `STOPLOG_SETTINGS_CHANGED`,
    * `STOPLOG_FENCED`, and those of recovery: `STOPLOG_PART_LOST`, `STOPLOG_RECORD_TORN` and their like.
    */
  def begin(batch: Long, slots: Int): EpochPlan = {
    if (phase.isInstanceOf[Running]) abort() // Spark has forgotten it: one query begins one epoch at a time
    turn.take()
    try {
      val held = phase match {
        case Unclaimed | Waiting(_) => claimed(claim(batch))
        case held: Held             => held
        case Lost(reason)           => throw reason
        case other                  => throw new IllegalStateException(s"an epoch was begun while $other")
      }
      StartCheck.sequence(held.state, identity, batch)
      val ready = compacted(settled(held))
      val plan  = planOf(ready, slots)
      phase = Running(ready, plan)
      plan
    } catch { case e: Throwable => turn.give(); throw e }
  }

  /** Step 6: one record decides; then what it names becomes visible.
    *
    * An epoch that is in the log already is not written again. Errors: `STOPLOG_FENCED` (nothing was published),
    * `STOPLOG_STORE_WRITE`, `STOPLOG_UNKNOWN_OUTCOME`, and those of publishing, after which the record stands.
    */
  def commit(epoch: Long, results: Seq[TaskResult]): Unit = phase match {
    case Running(held, plan) if plan.isCommitted(epoch) => putBack(held)
    case Running(held, plan)                            =>
      try {
        faults.at(Step.BeforeRecord)
        val draft   = EpochDraft.of(plan, results, policy, settings.schema.id, clock.millis())
        val publish = draft.closed ++ closer.close(draft.due, held.newest.seq)
        val state   = held.state.copy(lastEpoch = Some(epoch), open = draft.open, nextPart = draft.nextPart)
        val decided = record(held, RecordKind.Epoch(epoch), publish, state)
        seen = seen.rejected(results.map(_.rejectedRows).sum)
        settled(decided)
      } catch {
        case e: Throwable if phase.isInstanceOf[Running] => // no record was written, or none that we know of
          phase = held.doubtful
          throw e
      } finally turn.give()
    case other => throw new IllegalStateException(s"epoch $epoch was committed while $other")
  }

  /** Step 7: the epoch failed, or its commit did. Deletes nothing (I5): attempts may still be running, and the
    * record may be in the log. Harmless with no epoch in flight.
    */
  def abort(): Unit = phase match {
    case Running(held, _) => putBack(held.doubtful)
    case _                => ()
  }

  /** Step 8: closes what is due by the clock. Does nothing while an epoch runs. Answers whether to go on ticking. */
  def tick(): Boolean =
    if (!turn.tryTake()) true
    else
      try {
        phase match {
          case held: Held       => rollDue(held)
          case Waiting(seenSeq) =>
            claimIdle(seenSeq)(part => policy.onTime(part, clock.millis()).isDefined).foreach(rollDue)
          case _ => ()
        }
        phase match {
          case Lost(_) | Ended => false
          case _               => true
        }
      } finally turn.give()

  /** Step 9: the query has ended and no task of it runs any more. */
  def end(finish: Finish): Unit = {
    abort()
    turn.take()
    ended(finish)
  }

  /** The same when the process ends while the query may still be at work: an epoch that runs is left alone. */
  def endIfIdle(finish: Finish): Unit = if (turn.tryTake()) ended(finish)

  private def ended(finish: Finish): Unit =
    try
      phase match {
        case held: Held                                       => release(held, finish)
        case Waiting(seenSeq) if finish == Finish.PublishOpen =>
          claimIdle(seenSeq)(_ => true).foreach(release(_, finish))
        case _ => ()
      }
    finally {
      phase = Ended
      turn.give()
    }

  /** The claim of a run without an epoch, made only when there is something to do. */
  private def claimIdle(seenSeq: Long)(isDue: Open => Boolean): Option[Held] =
    claiming.claimIdle(run, seenSeq, isDue).map { claim =>
      phase = Waiting(claim.seq) // for the next tick, should fencing fail
      claimed(claim)
    }

  private def claim(batch: Long): LogRecord =
    try claiming.claim(run, batch)
    catch { case NonFatal(e) => phase = Lost(e); throw e }

  private def claimed(claim: LogRecord): Held = {
    val held = Held(claim, claiming.fence(run, withoutLost(claim.state)), settled = false)
    phase = held
    seen = seen.copy(open = held.state.open)
    sweep()
    sameContent(held)
  }

  /** The user may choose to go on without open parts whose files are gone; else the task that misses one fails. */
  private def withoutLost(state: SinkState): SinkState = choices.onLost match {
    case LostPart.Fail => state
    case LostPart.Skip =>
      val staged = if (state.open.isEmpty) Set.empty[String] else store.staged().map(_.token).toSet
      val beside = if (state.sideFiles.isEmpty) Set.empty[String] else sides.staged().map(_.token).toSet
      val (there, gone) = state.open.partition { part =>
        store.stagedOf(part.handle).subsetOf(staged) && part.beside.files.forall(file => beside(file.token))
      }
      gone.foreach { part =>
        logger.warn(s"Going on without the ${part.records} rows of ${part.handle.token} (onLostPart=skip)")
      }
      state.copy(open = there)
  }

  /** Rows of another format or layout cannot go into the parts that are open. */
  private def sameContent(held: Held): Held =
    if (held.state.settings == settings.toMap) held
    else {
      val state = held.state.copy(settings = settings.toMap)
      if (held.state.settings.getOrElse(SinkSettings.ContentKey, "") == settings.content)
        held.copy(state = state)
      else
        roll(
          held,
          held.state.open.map(Due(_, SinkSettings.ContentChanged)),
          state.copy(open = Vector.empty, small = Vector.empty)
        )
    }

  /** Decides on a merge that is over, or begins one that is due. Waits for none: an epoch is about to begin. */
  private def compacted(held: Held): Held = {
    val next  = compaction.next(held.state)
    val known = held.copy(state = next.state)
    phase = known
    next.replacement.fold(known) { replaced =>
      settled(record(known, RecordKind.Compact, Vector(replaced.merged), next.state, replaced.inputs))
    }
  }

  /** The same until nothing is due any more. */
  @tailrec
  private def compactedWhole(held: Held): Held = {
    val next = compacted(held)
    compaction.await()
    if (compaction.isMerging || next.newest != held.newest) compactedWhole(next) else next
  }

  private def rollDue(held: Held): Unit = {
    val now         = clock.millis()
    val ready       = compacted(settled(held))
    val (due, left) = EpochDraft.byClock(ready.state.open, policy, now)
    if (due.nonEmpty) {
      faults.at(Step.BeforeRoll)
      roll(ready, due, ready.state.copy(open = left))
      ()
    }
    // what a merge writes is in no record, however long it takes
    if (now - sweptAtMillis >= SweepEveryMillis && !compaction.isMerging) sweep()
  }

  private def roll(held: Held, due: Vector[Due], state: SinkState): Held =
    settled(record(held, RecordKind.Roll, closed(held, due), state))

  /** What fails may have written, and a request of it may still be on its way: nobody goes on in place then (I1). */
  private def closed(held: Held, due: Vector[Due]): Vector[Pending] =
    try closer.close(due, held.newest.seq)
    catch {
      case e: Throwable =>
        phase = held.doubtfulOf(due.map(_.part))
        throw e
    }

  private def release(held: Held, finish: Finish): Unit = {
    faults.at(Step.BeforeRelease)
    val ready = finish match {
      case Finish.PublishOpen => compactedWhole(settled(held))
      case Finish.KeepOpen    => settled(held)
    }
    val due = finish match {
      case Finish.PublishOpen => ready.state.open.map(Due(_, RollReason.End))
      case Finish.KeepOpen    => Vector.empty
    }
    val left = if (due.isEmpty) ready.state.open else Vector.empty
    settled(
      record(ready, RecordKind.Release, closed(ready, due), ready.state.copy(open = left))
    )
    ()
  }

  /** Appends the next record. From here until [[settled]] its parts are decided, and not yet visible. */
  private def record(
      held: Held,
      kind: RecordKind,
      publish: Vector[Pending],
      asked: SinkState,
      replace: Vector[FinishedPart] = Vector.empty
  ): Held = {
    val started = clock.millis()
    val state   = compaction.noting(asked, publish)
    val next    = LogRecord(held.newest.seq + 1, kind, run, started, publish, state, replace)
    appended(next)
    val decided = Held(next, state, settled = false, held.state.sideFiles -- state.sideFiles)
    phase = decided
    seen = seen.recorded(next, clock.millis() - started, if (kind.isInstanceOf[RecordKind.Epoch]) 1 else 0)
    if (kind == RecordKind.Release) faults.at(Step.AfterRelease) else faults.at(Step.AfterRecord)
    decided
  }

  private def appended(next: LogRecord): Unit = {
    val outcome =
      try tools.parallel.uninterrupted(log.append(next))
      catch {
        case NonFatal(e) => // nobody knows: only a new start, which reads the log, may go on (I5)
          phase = Lost(e)
          throw e
      }
    outcome match {
      case CommitLog.Decided          => ()
      case CommitLog.Overtaken(other) =>
        val fenced = Errors.fenced(identity.path, identity.sinkId, next.seq, other)
        phase = Lost(fenced)
        throw fenced
    }
  }

  /** The record's parts visible: no record is written, and no epoch begun, before the last one is. */
  private def settled(held: Held): Held =
    if (held.settled) held else tools.parallel.uninterrupted(settle(held))

  private def settle(held: Held): Held = {
    if (held.newest.publish.nonEmpty) {
      val started = clock.millis()
      publisher.publish(held.newest)
      seen = seen.published(held.newest, clock.millis() - started)
    }
    val done = held.copy(settled = true, unneeded = Set.empty)
    phase = done
    log.trim(KeptRecords) // after every record, for parts may stay open much longer than the log may grow
    faults.at(Step.AfterTrim)
    drop(held.unneeded)
    done
  }

  /** Side files that the newest record names no more. Nobody goes on from an older one. */
  private def drop(unneeded: Set[String]): Unit = if (unneeded.nonEmpty) {
    try sides.discard(unneeded.toVector)
    catch {
      case NonFatal(e) => logger.warn("Side files could not be removed; they are once they are old enough", e)
    }
    faults.at(Step.AfterDrop)
  }

  /** Error: `STOPLOG_FENCED`. */
  private def refuseIfOvertaken(seq: Long): Unit = log.newerThan(seq).foreach { newer =>
    throw Errors.fenced(identity.path, identity.sinkId, newer, "another run")
  }

  private def planOf(held: Held, slots: Int): EpochPlan = EpochPlan(
    run,
    held.newest.seq,
    held.state.lastEpoch,
    slots,
    Handout.assign(held.state.open, slots),
    held.state.nextPart
  )

  private def putBack(held: Held): Unit = {
    phase = held
    turn.give()
  }

  private def sweep(): Unit = {
    sweptAtMillis = clock.millis()
    try sweeper.sweep(run)
    catch {
      case NonFatal(e) => logger.warn("Unfinished files could not be removed; the next start tries again", e)
    }
    ()
  }
}

object SinkDriver {

  /** What the user chose for what is not the ordinary case. */
  final case class Choices(onForeign: ForeignQuery, onLost: LostPart)

  /** The world outside, as arguments. */
  final case class Tools(clock: Clock, faults: Faults, turn: Turn, parallel: Parallel, retry: Retry)

  /** What [[SinkDriver.end]] does with the parts that are open. */
  sealed trait Finish
  object Finish {

    /** Closes and publishes them. */
    case object PublishOpen extends Finish

    /** Leaves them for the next run to go on with. */
    case object KeepOpen extends Finish
  }

  /** As many as Spark keeps batches: enough to look back when something went wrong. */
  private val KeptRecords = 100

  private val SweepEveryMillis = 60 * 60 * 1000L

  private val logger = LoggerFactory.getLogger("stoplog")
}
