// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState
import stoplog.part.{Open, Pending, RunId}

/** The driver's plan for the tasks of one epoch.
  *
  * @param run       the run that owns the log
  * @param seq       the newest record when the plan was made: only another driver writes a newer one
  * @param lastEpoch the last epoch in the log: a task of this one, or of an older one, has nothing to do
  * @param slots     the number of tasks
  * @param handed    for each slot the open parts it may go on with, of one bucket in the order given
  * @param firstPart the first part number that is free; slot `s` takes `firstPart + s`, then every `slots`-th
  */
final case class EpochPlan(
    run: RunId,
    seq: Long,
    lastEpoch: Option[Long],
    slots: Int,
    handed: Map[Int, Vector[Open]],
    firstPart: Long
) {

  /** Whether the epoch is in the log already: Spark repeats an epoch that it did not see committed. */
  def isCommitted(epoch: Long): Boolean = lastEpoch.exists(_ >= epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    TaskPlan(run, seq, slot, attempt, handed.getOrElse(slot, Vector.empty), firstPart + slot, slots)
}

object EpochPlan {

  /** The plan of a batch job, which is never repeated. */
  private[stoplog] def ofJob(run: RunId, slots: Int): EpochPlan =
    EpochPlan(run, seq = -1, lastEpoch = None, slots, Map.empty, firstPart = 0)

  /** From what is open.
    *
    * @param seq the newest record
    */
  private[commit] def of(run: RunId, seq: Long, state: SinkState, slots: Int): EpochPlan =
    EpochPlan(run, seq, state.lastEpoch, slots, PartAssignment.assign(state.open, slots), state.nextPart)
}

/** One task's share of an [[EpochPlan]]. */
final case class TaskPlan(
    run: RunId,
    seq: Long,
    slot: Int,
    attempt: Attempt,
    handed: Vector[Open],
    firstPart: Long,
    stride: Int
)

/** Whether a task is the first of its kind. "Attempt 0" alone does not say so: a repeated stage counts anew. */
sealed trait Attempt extends Product with Serializable
object Attempt {

  /** No other attempt was ever handed the same parts: in-place writes are safe (I1). */
  case object First extends Attempt

  /** Another attempt of the same task may still be writing. */
  case object Repeated extends Attempt

  def of(taskAttempt: Int, stageAttempt: Int): Attempt =
    if (taskAttempt == 0 && stageAttempt == 0) First else Repeated
}

/** The report of a task: its parts, each durable (protocol step 5).
  *
  * @param nextPart     the first number it left free
  * @param rejectedRows how many rows are in parts of their own because they could not be written
  */
final case class TaskResult(
    slot: Int,
    attempt: Attempt,
    closed: Vector[Pending],
    open: Vector[Open],
    nextPart: Long,
    rejectedRows: Long = 0
) {

  /** The same task, with what it has put aside. */
  def withRejected(rejected: TaskResult, rows: Long): TaskResult = copy(
    closed = closed ++ rejected.closed,
    open = open ++ rejected.open,
    nextPart = nextPart.max(rejected.nextPart),
    rejectedRows = rows
  )
}
