// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.Step
import stoplog.log.{CommitLog, RecordKind, SinkState}
import stoplog.part.RunId

/** Merges in a directory that no sink looks after now, each decided by a record of a log of its own.
  *
  * The first act is a claim, as of a sink: of two that work on one directory, the older one can decide nothing more.
  * The next run carries out the decisions of the newest record.
  */
final class CompactionCommit(
    run: RunId,
    identity: SinkIdentity,
    stores: SinkStores,
    tools: SinkDriver.Tools
) {
  import stores.finished
  import tools.{clock, faults}

  private val ledger = new Ledger(
    run,
    identity,
    stores.log,
    Ledger.Stores(stores.parts, stores.sides, finished),
    LostPart.Fail,
    FollowUps.none(identity.sinkId, stores.notes),
    tools
  )

  /** Carries out what an earlier run has decided, and keeps it from deciding more; removes what it left unfinished.
    *
    * Errors: `STOPLOG_FENCED`, `STOPLOG_PART_LOST`, `STOPLOG_STORE_WRITE`.
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

object CompactionCommit {

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
