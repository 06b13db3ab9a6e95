// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.Errors
import stoplog.fault.Step
import stoplog.log.{LogRecord, MarkerForm, RecordKind, SinkState}
import stoplog.part.{Open, Pending, RunId}
import stoplog.rolling.RollReason
import stoplog.storage.FileStore
import stoplog.writing.PartFormat

/** One run of a tool that changes a sink in place of its query: a driver without epochs.
  *
  * The tool first claims the log, as a query does, and so fences any living driver. All later changes are in
  * records. So the tool may die at any point, and the query resumes as after a crash of the query (I3, I5).
  *
  * @param seen   the record on which the tool's plan is based: the run acts only if the log still ends with
  *               this record
  * @param format creates the format that writes the missing rows of an open part
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

  private val log     = stores.log
  private val refuse  = log.refuseIfOvertaken(identity.path, identity.sinkId, _)
  private val parts   = new OpenParts.Stored(run, stores, format, LostPart.Fail, refuse, tools)
  private val cursors = StoredCursors.ofQuery(stores.files, identity.sinkId)
  private val ledger  = new Ledger(
    run,
    identity,
    stores,
    LostPart.Fail,
    FollowUps.none(identity.sinkId, stores.files),
    tools.copy(announcing = cursors)
  )

  // Set by the claim, whose recovery may call off the seen record. Only the number of `seen` is used before.
  private var newest = seen
  private var held   = seen.state

  // Created for the first record of the claim.
  private lazy val completing =
    new BucketTracker(followUpsOf(identity, held, stores.files), parallel, tools.retry)

  /** Returns the state from which the next record follows. */
  def state: SinkState = held

  /** Carries out the newest record, and claims the log.
    *
    * @param settings further settings for this run's records
    *
    * Errors: `STOPLOG_FENCED` if a driver has written since and so is alive; errors of publishing.
    */
  def claim(settings: Map[String, String] = Map.empty): Unit = {
    val note  = DriverNote.ofThisProcess(UsualMillis).text
    val noted = (state: SinkState) =>
      state.copy(settings = Rewind.over(state.settings) + (DriverNote.Key -> note) ++ settings)
    newest = ledger
      .claimIfEndsWith(seen.seq)(newest => Some(parts.claimed(noted(newest.state), Some(newest.run))))
      .getOrElse(throw overtaken())
    held = newest.state
  }

  /** Closes every open part at the length of its last committed epoch, and makes the part visible. */
  def finishOpen(): Unit = if (state.open.nonEmpty) {
    faults.at(Step.BeforeRoll)
    record(
      RecordKind.Roll,
      state.open.map(EpochOutcome.PartToClose(_, RollReason.End)),
      state.copy(open = Vector.empty)
    ): Unit
  }

  /** Deletes files that no record names and no run can still write; returns their number. */
  def sweep(): Int = ledger.sweep()

  /** Hides finished parts permanently, and makes the first rows of some parts visible under other names. No
    * part may be open. Returns why the record was called off, if so: then the sink is unchanged.
    *
    * @param parts     the finished parts, which are deleted; the caller keeps copies
    * @param beginning the first rows, as open parts of this length, with the finished file as their handle
    * @param change    returns the new state
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
        held = before
        Some(why)
    }
  }

  /** Ends the run cleanly, with the state for the query to resume from. */
  def release(change: SinkState => SinkState): Unit = {
    faults.at(Step.BeforeRelease)
    record(RecordKind.Release, Vector.empty, change(state)): Unit
  }

  /** Writes the missing rows of every open part, and returns the parts; no record names them as closed. */
  def closedParts(): Vector[Pending] =
    parts.fencedAndClosed(state.open.map(EpochOutcome.PartToClose(_, RollReason.End)), newest.seq)

  private def record(
      kind: RecordKind,
      closing: Vector[EpochOutcome.PartToClose],
      next: SinkState,
      replace: ReplacedSet = ReplacedSet.empty
  ): Settled = {
    val completion      = completing.next(next, Vector.empty, closing, Compaction.Off, clock.millis())
    val publish         = parts.fencedAndClosed(completion.due, newest.seq)
    val (after, follow) = completion.decided(publish, Manifests.path(identity.sinkId, ledger.nextSeq))
    append(Ledger.Entry(kind, after, publish, follow, replace))
  }

  private def append(entry: Ledger.Entry): Settled = {
    val unneeded = newest.state.spoolFiles -- entry.state.spoolFiles
    newest = ledger.append(entry)
    held = entry.state
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

  /** The roll reason of a part with the first rows of a finished part. */
  private val Rewound = RollReason.Custom("rewind")

  /** Milliseconds; a tool ends sooner. */
  private val UsualMillis = 60 * 1000L

  /** A tool does not know when a bucket is complete. The tool adds to the totals, so that the query's next
    * marker is right, and writes manifests if the query does.
    */
  private def followUpsOf(identity: SinkIdentity, state: SinkState, notes: FileStore): FollowUps = FollowUps(
    identity.sinkId,
    if (state.live.isEmpty) CompleteRule.Never else CompleteRule.Later(state.live.map(_.bucket).toSet),
    MarkerForm.Json,
    Manifests.noted(state.settings),
    notes
  )
}
