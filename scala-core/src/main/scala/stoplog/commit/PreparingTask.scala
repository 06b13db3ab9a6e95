// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.{Faults, Step}
import stoplog.part.{Closed, Pending}
import stoplog.rolling.RollReason
import stoplog.sink.{Prepared, TwoPhaseWriter}

/** Protocol steps 4 and 5 for a sink whose epochs leave nothing open. Used by the task's thread alone.
  *
  * @param open     makes the writer, when there is a row
  * @param mayStart called once before that: throws if this run has been fenced
  */
final class PreparingTask[R](
    plan: TaskPlan,
    open: () => TwoPhaseWriter[R],
    clock: Clock,
    faults: Faults,
    mayStart: () => Unit
) {
  private[this] val startedAtMillis = clock.millis()
  private[this] var writer          = Option.empty[TwoPhaseWriter[R]]
  private[this] var phase           = PreparingTask.Phase.Writing: PreparingTask.Phase
  private[this] var rows            = 0L

  /** How many there were so far. */
  def writtenRows: Long = rows

  def write(row: R): Unit = {
    writer.getOrElse(started()).write(row)
    rows += 1
    if (rows == 1) faults.at(Step.MidWrite)
  }

  /** Makes everything durable and says where it is. */
  def commit(): TaskResult = {
    faults.at(Step.BeforeSync)
    val prepared = writer.fold(Vector.empty[Prepared])(_.prepare())
    phase = PreparingTask.Phase.Prepared
    faults.at(Step.AfterSync)
    TaskResult(plan.slot, plan.attempt, prepared.map(pending), open = Vector.empty, plan.firstPart)
  }

  /** Undoes what the task has not told to the driver. What it has told may be in a record (I5). */
  def abort(): Unit = if (phase == PreparingTask.Phase.Writing) {
    phase = PreparingTask.Phase.Aborted
    writer.foreach(_.abort())
  }

  def close(): Unit = {
    val left = writer
    writer = None
    left.foreach(_.close())
  }

  private def started(): TwoPhaseWriter[R] = {
    mayStart()
    val opened = open()
    writer = Some(opened)
    faults.at(Step.PartOpened)
    opened
  }

  // A part of no bytes is one that has nothing to show, and is not committed.
  private def pending(prepared: Prepared): Pending = Pending(
    bucket = "",
    prepared.name,
    Closed(prepared.token),
    prepared.bytes.max(1),
    prepared.rows,
    startedAtMillis,
    clock.millis(),
    RollReason.Checkpoint
  )
}

private object PreparingTask {
  sealed trait Phase
  object Phase {
    case object Writing  extends Phase
    case object Prepared extends Phase
    case object Aborted  extends Phase
  }
}
