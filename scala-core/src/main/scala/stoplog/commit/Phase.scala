// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{BatchDigest, LogRecord, SinkState}
import stoplog.part.Open

/** The phase of a driver in the life of its run. */
private[commit] sealed trait Phase
private[commit] object Phase {
  case object Unclaimed extends Phase

  /** No epoch yet, and an earlier run's log, which ended with this record at the start. */
  final case class Waiting(seenSeq: Long) extends Phase

  /** The claim is held and no epoch runs. `state` may know more of who owns a part than the record says; `unneeded`
    * are the side files that this record let go; `resumed` is `false` until the run has decided whether it goes on with
    * the parts of earlier ones.
    */
  final case class Held(
      newest: LogRecord,
      state: SinkState,
      settled: Boolean,
      resumed: Boolean,
      unneeded: Set[String] = Set.empty
  ) extends Phase {

    /** Every part may still be written by an attempt of an epoch that was given up (I1). */
    def doubtful: Held = doubtfulOf(state.open)

    /** The same of these parts alone. */
    def doubtfulOf(parts: Vector[Open]): Held = {
      val names = parts.map(_.finishedPath).toSet
      copy(state = state.copy(open = state.open.map { part =>
        if (names(part.finishedPath)) part.copy(owner = None) else part
      }))
    }
  }
  final case class Running(held: Held, plan: EpochPlan, batch: Option[BatchDigest]) extends Phase

  /** Another driver goes on from here, or may do so: this one writes nothing more. */
  final case class Lost(reason: Throwable) extends Phase
  case object Ended                        extends Phase
}
