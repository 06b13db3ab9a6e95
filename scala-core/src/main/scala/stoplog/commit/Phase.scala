// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{BatchDigest, LogRecord, SinkState}
import stoplog.part.Open
import stoplog.plan.EpochPlan

/** The phase of a driver during its run. */
private[commit] sealed trait Phase {

  /** Returns the newest record known to the run, while the run holds the claim. */
  def known: Option[LogRecord] = None

  /** Returns the open parts that an attempt of this run may still reach (I1). */
  def doubtful: Vector[Open] = Vector.empty

  /** Returns whether the run does nothing more, because the log is lost or the run has ended. */
  final def isOver: Boolean = this match {
    case Phase.Fenced(_) | Phase.Closed => true
    case _                              => false
  }
}

private[commit] object Phase {
  case object Unclaimed extends Phase

  /** No epoch has started, and the log of an earlier run ended with this record at the start. */
  final case class Waiting(seenSeq: Long) extends Phase

  /** The claim is held and no epoch runs. `state` may know newer owners of parts than the record. `unneeded`
    * contains the spool files released by this record. `resumed` is `false` until the run has decided whether
    * to resume the parts of earlier runs.
    */
  final case class Idle(
      newest: LogRecord,
      state: SinkState,
      settled: Boolean,
      resumed: Boolean,
      unneeded: Set[String] = Set.empty
  ) extends Phase {
    override def known: Option[LogRecord] = Some(newest)
    override def doubtful: Vector[Open]   = state.open.filter(_.owner.isEmpty)

    /** Returns this phase without times later than `nowMillis`. */
    def by(nowMillis: Long): Idle = {
      val dated = state.by(nowMillis)
      if (dated eq state) this else copy(state = dated)
    }

    /** Removes all owners: an attempt of an abandoned epoch may still write to any part (I1). */
    def abandoned: Idle = abandonedFor(state.open)

    /** Removes the owners of these parts. */
    def abandonedFor(parts: Vector[Open]): Idle = {
      val names = parts.map(_.finishedPath).toSet
      copy(state = state.copy(open = state.open.map { part =>
        if (names(part.finishedPath)) part.ownedBy(None) else part
      }))
    }
  }

  final case class Running(held: Idle, plan: EpochPlan, batch: Option[BatchDigest]) extends Phase {
    override def known: Option[LogRecord] = held.known
    override def doubtful: Vector[Open]   = held.state.open
  }

  /** Another driver continues from here, or may do so: this driver writes nothing more. */
  final case class Fenced(reason: Throwable) extends Phase
  case object Closed                         extends Phase
}
