// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.{Open, Part, Pending, SchemaId}
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.{PolicyOfAllParts, RollReason, RollingPolicy}

/** The changes of an epoch before anything is written: parts that stay open, are published, or are to be
  * closed.
  *
  * @param closed   the parts closed by tasks
  * @param due      untouched parts, closed now by the policy's clock
  * @param open     the parts that stay open
  * @param begun    the parts of `open` without an earlier record
  * @param nextPart the first unused part number
  */
private[commit] final case class EpochOutcome(
    closed: Vector[Pending],
    due: Vector[EpochOutcome.PartToClose],
    open: Vector[Open],
    begun: Vector[Open],
    nextPart: Long
)

private[commit] object EpochOutcome {

  /** Combines the results of the tasks with the parts that no task touched.
    *
    * @param schema    the columns of this run's rows, and so of the parts with new rows
    * @param nowMillis the time of the driver's clock; no part gets a later open or write time
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
    // Most of very many parts are untouched, and get no entry in a map.
    val (again, untouched) = plan.handed.toVector
      .sortBy(_._1)
      .map { case (slot, parts) =>
        val (again, left) = parts.partition(part => touched(part.finishedPath))
        again -> left.map(carryOver(_, bySlot.get(slot)).by(nowMillis))
      }
      .unzip
    val handed      = again.flatten.map(part => part.finishedPath -> part).toMap
    val carried     = untouched.flatten
    val (due, left) =
      if (PolicyOfAllParts.in(policy).isEmpty) byClock(carried, policy, nowMillis)
      else (Vector.empty, carried) // called after the record, for all parts
    val since = plan.madeAtMillis.fold(Long.MinValue)(_.min(nowMillis))
    val open  = results.flatMap(_.open).toVector.map { part =>
      val (opened, last) = times(part, handed.get(part.finishedPath), since)
      part.copy(rows = part.rows.copy(schema = schema).written(opened, last).by(nowMillis))
    }
    EpochOutcome(
      closed = results
        .flatMap(_.closed)
        .map { part =>
          val before         = handed.get(part.finishedPath)
          val (opened, last) = times(part, before, since)
          val columns        = schemaOf(part, before, schema)
          part.copy(rows = part.rows.copy(schema = columns).written(opened, last).by(nowMillis))
        }
        .toVector,
      due = due,
      open = open ++ left,
      begun = open.filterNot(part => handed.contains(part.finishedPath)),
      nextPart = (plan.firstPart +: results.map(_.nextPart)).max
    )
  }

  /** Returns when the part was opened and last written to, by the driver's clock. The clock of a task may
    * differ by any amount. Rows that a task wrote in this epoch were not written before the epoch started.
    *
    * @param before the part as handed to the task
    */
  private def times(part: Part, before: Option[Open], sinceMillis: Long): (Long, Long) = before match {
    case Some(known) if known.records == part.records => (known.openedAtMillis, known.lastWrittenAtMillis)
    case Some(known) => (known.openedAtMillis, part.lastWrittenAtMillis.max(sinceMillis))
    case None        => (part.openedAtMillis.max(sinceMillis), part.lastWrittenAtMillis.max(sinceMillis))
  }

  /** Splits the open parts into parts to close now, by the policy, and remaining parts. */
  def byClock(
      open: Vector[Open],
      policy: RollingPolicy,
      nowMillis: Long
  ): (Vector[PartToClose], Vector[Open]) =
    open.zip(PolicyOfAllParts.due(policy, open, nowMillis)).partitionMap { case (part, reason) =>
      reason.map(PartToClose(part, _)).toLeft(part)
    }

  /** Returns the schema of a closed part. A part that was handed out full got no row of this run. */
  private def schemaOf(part: Pending, handed: Option[Open], schema: Option[SchemaId]): Option[SchemaId] =
    handed.filter(_.records == part.records).fold(schema)(_.schema)

  /** Returns a part that no result names, without its owner if a first attempt may still write to it. */
  private def carryOver(part: Open, result: Option[TaskResult]): Open = result match {
    case Some(TaskResult(_, Attempt.First, _, _, _, _)) => part
    case _                                              => part.ownedBy(None)
  }

  /** An open part that the driver is about to close, and the reason. */
  final case class PartToClose(part: Open, reason: RollReason)
}
