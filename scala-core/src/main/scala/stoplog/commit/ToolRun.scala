// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{LogRecord, MarkerForm, RecordKind, SinkState}
import stoplog.part.{Open, Pending, RunId}
import stoplog.rolling.RollReason
import stoplog.storage.FileStore

/** One run of a tool that changes a sink in place of its query: a driver without epochs.
  *
  * It claims the log first, as a query does, and so fences any living driver; all that it does afterwards is in
  * records. So it may die at any point, and the query goes on from there as after a crash of its own (I3, I5).
  *
  * @param seen   the record from which it is known what is to be done: the run acts only if the log still ends with it
  * @param format makes what writes the rows that an open part still lacks
  */
private[stoplog] final class ToolRun(
    run: RunId,
    identity: SinkIdentity,
    seen: LogRecord,
    stores: SinkStores,
    format: () => PartFormat[_],
    tools: DriverTools
) {
  import ToolRun._
  import tools.{clock, faults, parallel}

  private val log        = stores.log
  private val refuse     = log.refuseIfOvertaken(identity.path, identity.sinkId, _)
  private val parts      = new OpenParts.Stored(run, stores, format, LostPart.Fail, refuse, tools)
  private val followUps  = followUpsOf(identity, seen.state, stores.files)
  private val completing = new BucketTracker(followUps, parallel, tools.retry)
  private val ledger     = new Ledger(run, identity, stores, LostPart.Fail, followUps, tools)

  private var newest = seen
  private var state  = seen.state

  /** Carries out what the newest record decided, and claims the log.
    *
    * @param says what the settings of this run's records say besides
    *
    * Errors: `STOPLOG_FENCED` when a driver has written since, which is alive then; those of publishing.
    */
  def claim(says: Map[String, String] = Map.empty): Unit = {
    val note  = DriverNote.ofThisProcess(UsualMillis).text
    val noted = (state: SinkState) =>
      state.copy(settings = Rewind.over(state.settings) + (DriverNote.Key -> note) ++ says)
    newest = ledger
      .claimIfEndsWith(seen.seq)(newest => Some(parts.claimed(noted(newest.state))))
      .getOrElse(throw overtaken())
    state = parts.recovered(newest.state)
  }

  /** Closes every open part where its last committed epoch left it, and makes it visible. */
  def finishOpen(): Unit = if (state.open.nonEmpty) {
    faults.at(Step.BeforeRoll)
    record(
      RecordKind.Roll,
      state.open.map(EpochOutcome.PartToClose(_, RollReason.End)),
      state.copy(open = Vector.empty)
    ): Unit
  }

  /** Removes files that no record names and no run can be writing any more; answers their number. */
  def sweep(): Int = ledger.sweep()

  /** Hides finished parts for good, and makes the first rows of some of them visible under other names. Nothing may be open.
    * Returns why that was called off, if it was: then the sink is as it was.
    *
    * @param parts     the finished parts; the caller keeps copies of them: they are deleted
    * @param beginning those rows, as parts that are open at the end of them, with the finished file as their handle
    * @param change    to what the state is then
    */
  def replace(parts: ReplacedSet, beginning: Vector[Open])(change: SinkState => SinkState): Option[String] = {
    faults.at(Step.BeforeRewind)
    val before = state
    record(
      RecordKind.Compact,
      beginning.map(EpochOutcome.PartToClose(_, Rewound)),
      change(state),
      parts
    ) match {
      case _: Settled.Shown          => None
      case Settled.CalledOff(_, why) =>
        state = before
        Some(why)
    }
  }

  /** The clean end, with the state that the query goes on from. */
  def release(change: SinkState => SinkState): Unit = {
    faults.at(Step.BeforeRelease)
    record(RecordKind.Release, Vector.empty, change(state)): Unit
  }

  /** Writes the rest of every open part, and returns the parts: no record names them as closed. */
  def closedParts(): Vector[Pending] =
    parts.close(state.open.map(EpochOutcome.PartToClose(_, RollReason.End)), newest.seq)

  private def record(
      kind: RecordKind,
      closing: Vector[EpochOutcome.PartToClose],
      next: SinkState,
      replace: ReplacedSet = ReplacedSet.empty
  ): Settled = {
    val completion      = completing.next(next, Vector.empty, closing, Compaction.Off, clock.millis())
    val publish         = parts.close(completion.due, newest.seq)
    val (after, follow) = completion.decided(publish, Manifests.path(identity.sinkId, ledger.nextSeq))
    append(Ledger.Entry(kind, after, publish, follow, replace))
  }

  private def append(entry: Ledger.Entry): Settled = {
    val unneeded = newest.state.spoolFiles -- entry.state.spoolFiles
    newest = ledger.append(entry)
    state = entry.state
    val settled = ledger.settle(newest)
    parallel.uninterrupted(parts.drop(unneeded))
    settled
  }

  private def overtaken(): Throwable = {
    val now = log.newest()
    Errors.fenced(identity.path, identity.sinkId, now.fold(0L)(_.seq), now.fold("no run")(_.run.value))
  }
}

private[stoplog] object ToolRun {

  /** The reason of a part that has the first rows of a finished one. */
  private val Rewound = RollReason.Custom("rewind")

  /** A tool is done sooner. */
  private val UsualMillis = 60 * 1000L

  /** A tool does not know when a bucket is complete. It counts on, so that the query's next marker is right, and lists
    * what it publishes if the query does.
    */
  private def followUpsOf(identity: SinkIdentity, state: SinkState, notes: FileStore): FollowUps = FollowUps(
    identity.sinkId,
    if (state.live.isEmpty) CompleteRule.Never else CompleteRule.Later(state.live.map(_.bucket).toSet),
    MarkerForm.Json,
    Manifests.noted(state.settings),
    notes,
    _ => ()
  )
}
