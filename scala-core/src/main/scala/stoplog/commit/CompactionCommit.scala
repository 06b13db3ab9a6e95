// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.commit.complete.FollowUps
import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{CommitLog, FollowUp, LogRecord, RecordKind, SinkState}
import stoplog.part.{FinishedPart, Pending, RunId}
import stoplog.store.{FinishedStore, PartStore, SideStore}

/** Merges in a directory that no sink looks after now, each decided by a record of a log of its own.
  *
  * The first act is a claim, as of a sink: of two that work on one directory, the older one can decide nothing more.
  * Whatever the newest record decided is carried out by whoever comes next.
  */
final class CompactionCommit(
    run: RunId,
    identity: SinkIdentity,
    log: CommitLog,
    store: PartStore,
    sides: SideStore,
    finished: FinishedStore,
    tools: SinkDriver.Tools,
    followUps: FollowUps
) {
  import tools.{clock, faults}

  private val publisher =
    new Publisher(store, log, identity, LostPart.Fail, tools, followUps, finished)

  private var newest = -1L

  /** Carries out what an earlier run has decided, and keeps it from deciding more; removes what it left unfinished.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_STORE_WRITE`.
    */
  def begin(): Unit = {
    carryOut()
    newest = log.newest().fold(-1L)(_.seq)
    append(RecordKind.Claim, Vector.empty, Vector.empty)
    faults.at(Step.AfterClaim)
    new Sweeper(store, sides, finished, log, tools.parallel, clock, faults).sweep(run)
    ()
  }

  /** Carries out what the newest record says, unless that was done. Claims nothing. */
  def carryOut(): Unit = log.newest().foreach(publisher.republish)

  /** Puts the merged part in the place of the others, unless one of them is not what it was; answers whether it did.
    *
    * Errors: as of [[begin]], after which nothing more is to be done.
    */
  def replace(merge: Merge, merged: Merged): Boolean = {
    faults.at(Step.BeforeCompact)
    val same = merge.changed(finished).isEmpty
    if (same) tools.parallel.uninterrupted {
      val record = append(RecordKind.Compact, Vector(merge.pending(merged, clock.millis())), merge.inputs)
      faults.at(Step.AfterRecord)
      publisher.publish(record)
      log.trim(CompactionCommit.KeptRecords)
    }
    same
  }

  /** The clean end. */
  def end(): Unit = {
    append(RecordKind.Release, Vector.empty, Vector.empty)
    ()
  }

  private def append(
      kind: RecordKind,
      publish: Vector[Pending],
      replace: Vector[FinishedPart]
  ): LogRecord = {
    val next = LogRecord(newest + 1, kind, run, clock.millis(), publish, state, FollowUp.nothing, replace)
    log.append(next) match {
      case CommitLog.Decided =>
        newest = next.seq
        next
      case CommitLog.Overtaken(other) => throw Errors.fenced(identity.path, identity.sinkId, next.seq, other)
    }
  }

  private def state = SinkState(identity.queryId, None, Vector.empty, nextPart = 0, settings = Map.empty)
}

private object CompactionCommit {
  val KeptRecords = 100
}
