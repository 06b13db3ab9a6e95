// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.util.control.NonFatal

import stoplog.error.Log
import stoplog.fault.Step
import stoplog.log.SinkState
import stoplog.part.{Pending, RunId}
import stoplog.storage.{FenceOutcome, PartStore, SpoolFiles}

/** The driver's part in keeping parts open from epoch to epoch. */
private[commit] trait OpenParts {

  /** The state as a claim is to name it. Touches nothing that is stored. */
  def claimed(state: SinkState): SinkState

  /** The state with each open part as the run may go on with it. Must be called after the claim (I1). */
  def recovered(run: RunId, state: SinkState): SinkState

  /** The parts, closed where their last committed epoch left them.
    *
    * @param newestSeq the newest record that the driver knows
    */
  def close(due: Vector[PartToClose], newestSeq: Long): Vector[Pending]

  /** Deletes spool files that the newest record no longer references; recovery never starts from an older record. */
  def drop(unneeded: Set[String]): Unit
}

private[commit] object OpenParts {

  /** Of a sink whose epochs leave nothing open. */
  object Never extends OpenParts {
    override def claimed(state: SinkState): SinkState                              = state
    override def recovered(run: RunId, state: SinkState): SinkState                = state
    override def close(due: Vector[PartToClose], newestSeq: Long): Vector[Pending] = Vector.empty
    override def drop(unneeded: Set[String]): Unit                                 = ()
  }

  /** In the store of a sink's files.
    *
    * @param format            makes what writes the rows that a part still lacks
    * @param refuseIfOvertaken throws if the log has a newer record than this one
    */
  final class Stored(
      run: RunId,
      store: PartStore,
      sides: SpoolFiles,
      format: () => PartFormat[_],
      onLost: LostPart,
      refuseIfOvertaken: Long => Unit,
      tools: SinkDriver.Tools
  ) extends OpenParts {
    import tools.{faults, parallel, retry}

    private val closer  = new Closer(store, format, parallel, run, refuseIfOvertaken, faults)
    private val missing = new MissingParts(store, sides, onLost)

    override def claimed(state: SinkState): SinkState =
      state.copy(open = state.open.map(part => part.copy(handle = store.claimed(part.handle))))

    /** Error: `STOPLOG_STORE_WRITE`: without an answer the run goes on with no part, since copying all parts is no
      * answer to an outage.
      */
    override def recovered(run: RunId, state: SinkState): SinkState = {
      val there    = missing.without(state)
      val outcomes = if (there.open.isEmpty) Vector.empty else retry(() => store.fence(run, there.open))
      there.copy(open = there.open.zip(outcomes).map {
        case (part, FenceOutcome.Owned)    => part.copy(owner = Some(run))
        case (part, FenceOutcome.Doubtful) => part
      })
    }

    override def close(due: Vector[PartToClose], newestSeq: Long): Vector[Pending] =
      closer.close(due, newestSeq)

    override def drop(unneeded: Set[String]): Unit = if (unneeded.nonEmpty) {
      try sides.discard(unneeded.toVector)
      catch {
        case NonFatal(e) =>
          Log.warn("Side files could not be removed; they are once they are old enough", e)
      }
      faults.at(Step.AfterDrop)
    }
  }
}
