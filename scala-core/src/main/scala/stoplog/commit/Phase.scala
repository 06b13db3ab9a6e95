// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{BatchDigest, LogRecord, SinkState}
import stoplog.part.{Open, RunId}

/** The phase of a driver in the life of its run. */
private[commit] sealed trait Phase {

  /** The newest record that the run knows, while it holds the claim. */
  def known: Option[LogRecord] = None

  /** The open parts that the run may not close where they are (I1). */
  def notOf(run: RunId): Vector[Open] = Vector.empty

  /** Whether the run does nothing more: it has lost the log, or has ended. */
  final def isOver: Boolean = this match {
    case Phase.Fenced(_) | Phase.Closed => true
    case _                              => false
  }
}

private[commit] object Phase {
  case object Unclaimed extends Phase

  /** No epoch yet, and an earlier run's log, which ended with this record at the start. */
  final case class Waiting(seenSeq: Long) extends Phase

  /** The claim is held and no epoch runs. `state` may know more of who owns a part than the record says; `unneeded`
    * are the spool files that this record let go; `resumed` is `false` until the run has decided whether it goes on with
    * the parts of earlier ones.
    */
  final case class Idle(
      newest: LogRecord,
      state: SinkState,
      settled: Boolean,
      resumed: Boolean,
      unneeded: Set[String] = Set.empty
  ) extends Phase {
    override def known: Option[LogRecord]        = Some(newest)
    override def notOf(run: RunId): Vector[Open] = state.open.filterNot(_.owner.contains(run))

    /** The same without a time after this one. */
    def by(nowMillis: Long): Idle = {
      val dated = state.by(nowMillis)
      if (dated eq state) this else copy(state = dated)
    }

    /** Every part may still be written by an attempt of an epoch that was given up (I1). */
    def doubtful: Idle = doubtfulOf(state.open)

    /** The same of these parts alone. */
    def doubtfulOf(parts: Vector[Open]): Idle = {
      val names = parts.map(_.finishedPath).toSet
      copy(state = state.copy(open = state.open.map { part =>
        if (names(part.finishedPath)) part.copy(owner = None) else part
      }))
    }
  }

  final case class Running(held: Idle, plan: EpochPlan, batch: Option[BatchDigest]) extends Phase {
    override def known: Option[LogRecord]        = held.known
    override def notOf(run: RunId): Vector[Open] = held.state.open
  }

  /** Another driver goes on from here, or may do so: this one writes nothing more. */
  final case class Fenced(reason: Throwable) extends Phase
  case object Closed                         extends Phase
}
