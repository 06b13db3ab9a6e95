// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.{Open, Part, Pending, RunId, SchemaId}
import stoplog.rolling.{RollReason, RollingPolicy}

/** The changes of an epoch, before anything is written: parts that stay open, are published, or are to be closed.
  *
  * @param closed    closed by the tasks
  * @param due       carried over untouched, and now closed by the policy's clock
  * @param open      left open
  * @param begun     those of `open` that no record has named before
  * @param nextPart  the first unused part number
  */
private[commit] final case class EpochOutcome(
    closed: Vector[Pending],
    due: Vector[EpochOutcome.PartToClose],
    open: Vector[Open],
    begun: Vector[Open],
    nextPart: Long
)

private[commit] object EpochOutcome {

  /** Puts the tasks' results together with the parts that no task touched.
    *
    * @param schema    the columns of this run's rows, and so of the parts to which it has written
    * @param nowMillis by the driver's clock, after which no part was opened or written to
    */
  def of(
      plan: EpochPlan,
      results: Seq[TaskResult],
      policy: RollingPolicy,
      schema: Option[SchemaId],
      nowMillis: Long
  ): EpochOutcome = {
    val bySlot  = results.map(result => result.slot -> result).toMap
    val touched =
      results.iterator.flatMap(r => r.closed.iterator ++ r.open.iterator).map(_.finishedPath).toSet
    val carried = plan.handed.toVector.sortBy(_._1).flatMap { case (slot, parts) =>
      parts
        .filterNot(part => touched(part.finishedPath))
        .map(carryOver(_, bySlot.get(slot), plan.run).by(nowMillis))
    }
    val (due, left) = byClock(carried, policy, nowMillis)
    lazy val handed = plan.handed.valuesIterator.flatten.map(part => part.finishedPath -> part).toMap
    val since       = plan.madeAtMillis.fold(Long.MinValue)(_.min(nowMillis))
    val open        = results.flatMap(_.open).toVector.map { part =>
      val (opened, last) = times(part, handed.get(part.finishedPath), since)
      part.copy(schema = schema, openedAtMillis = opened, lastWrittenAtMillis = last).by(nowMillis)
    }
    EpochOutcome(
      closed = results
        .flatMap(_.closed)
        .map { part =>
          val before         = handed.get(part.finishedPath)
          val (opened, last) = times(part, before, since)
          ended(part, before, schema).copy(openedAtMillis = opened, lastWrittenAtMillis = last).by(nowMillis)
        }
        .toVector,
      due = due,
      open = open ++ left,
      begun = open.filterNot(part => handed.contains(part.finishedPath)),
      nextPart = (plan.firstPart +: results.map(_.nextPart)).max
    )
  }

  /** When the part was opened and last written to, by the driver's clock. The clock of its task may be any time off: what
    * a task has written in this epoch, it has not written before the epoch began.
    *
    * @param before the part as it was handed to the task
    */
  private def times(part: Part, before: Option[Open], sinceMillis: Long): (Long, Long) = before match {
    case Some(known) if known.records == part.records => (known.openedAtMillis, known.lastWrittenAtMillis)
    case Some(known) => (known.openedAtMillis, part.lastWrittenAtMillis.max(sinceMillis))
    case None        => (part.openedAtMillis.max(sinceMillis), part.lastWrittenAtMillis.max(sinceMillis))
  }

  /** The open parts that the policy closes now, and those that it leaves. */
  def byClock(
      open: Vector[Open],
      policy: RollingPolicy,
      nowMillis: Long
  ): (Vector[PartToClose], Vector[Open]) =
    open.partitionMap(part => policy.onTime(part, nowMillis).map(PartToClose(part, _)).toLeft(part))

  /** A part that was full when it was handed out got no row of this run. */
  private def ended(part: Pending, handed: Option[Open], schema: Option[SchemaId]): Pending =
    part.copy(schema = handed.filter(_.records == part.records).fold(schema)(_.schema))

  /** A part that no result names. If its task was repeated, the first attempt may still be about to write to it. */
  private def carryOver(part: Open, result: Option[TaskResult], run: RunId): Open = result match {
    case Some(TaskResult(_, Attempt.First, _, _, _, _)) if part.owner.contains(run) => part
    case _                                                                          => part.copy(owner = None)
  }

  /** An open part that the driver is about to close, and why. */
  final case class PartToClose(part: Open, reason: RollReason)
}
