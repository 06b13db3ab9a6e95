// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.SinkState
import stoplog.part.{Closed, Open, Pending, RunId}
import stoplog.rolling.RollReason
import stoplog.sink.Prepared

/** The driver's plan for the tasks of one epoch.
  *
  * @param run       the run that owns the log
  * @param seq       the newest record when the plan was made: only another driver writes a newer one
  * @param lastEpoch the last epoch in the log: a task of this one, or of an older one, has nothing to do
  * @param slots     the number of tasks
  * @param handed    for each slot the open parts it may go on with, of one bucket in the order given
  * @param firstPart the first part number that is free; slot `s` takes `firstPart + s`, then every `slots`-th
  * @param madeAtMillis when the plan was made, by the driver's clock; `None` if nothing is measured by it
  */
private[stoplog] final case class EpochPlan(
    run: RunId,
    seq: Long,
    lastEpoch: Option[Long],
    slots: Int,
    handed: Map[Int, Vector[Open]],
    firstPart: Long,
    madeAtMillis: Option[Long] = None
) {

  /** Whether the epoch is in the log already: Spark repeats an epoch that it did not see committed. */
  def isCommitted(epoch: Long): Boolean = lastEpoch.exists(_ >= epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    TaskPlan(run, seq, slot, attempt, handed.getOrElse(slot, Vector.empty), firstPart + slot, slots)
}

private[stoplog] object EpochPlan {

  /** The place of the newest record in a plan that was made without one. */
  private[commit] final val NoRecord = -1L

  /** The plan of a batch job, which is never repeated. */
  private[stoplog] def ofJob(run: RunId, slots: Int): EpochPlan =
    EpochPlan(run, NoRecord, lastEpoch = None, slots, Map.empty, firstPart = 0)

  /** From what is open.
    *
    * @param seq the newest record
    */
  private[commit] def of(run: RunId, seq: Long, state: SinkState, slots: Int, nowMillis: Long): EpochPlan =
    EpochPlan(run, seq, state.lastEpoch, slots, assign(state.open, slots), state.nextPart, Some(nowMillis))

  /** The assignment of open parts to the tasks that go on with them.
    *
    * Parts are matched by bucket; the slot is only a preference, because adaptive execution may change the number of
    * tasks with every epoch. A bucket that has more open parts than there are tasks gives some tasks several of them:
    * a task goes on with the first and takes the next one when that is full, so that a shrinking number of tasks
    * closes nothing early. As long as no part has lost its slot, the buckets need no look.
    */
  private[commit] def assign(open: Vector[Open], slots: Int): Map[Int, Vector[Open]] =
    if (open.forall(_.slot < slots)) open.groupBy(_.slot)
    else open.groupBy(_.bucket).values.toVector.flatMap(assignBucket(_, slots)).groupMap(_._1)(_._2)

  /** Former slots first; a part that lost its slot goes to the task with the fewest parts of this bucket. */
  private def assignBucket(parts: Vector[Open], slots: Int): Vector[(Int, Open)] = {
    val (kept, displaced) = parts.partition(_.slot < slots)
    val load              = Array.fill(if (displaced.isEmpty) 0 else slots)(0)
    if (displaced.nonEmpty) kept.foreach(part => load(part.slot) += 1)
    val moved = displaced.map { part =>
      val slot = load.indexOf(load.min)
      load(slot) += 1
      slot -> part
    }
    kept.map(part => part.slot -> part) ++ moved
  }
}

/** One task's share of an [[EpochPlan]]. */
private[stoplog] final case class TaskPlan(
    run: RunId,
    seq: Long,
    slot: Int,
    attempt: Attempt,
    handed: Vector[Open],
    firstPart: Long,
    stride: Int
) {

  /** Whether it is a task of a batch job, whose log has no record yet. */
  def isOfJob: Boolean = seq == EpochPlan.NoRecord

  /** The result of a task that leaves nothing open. A part of no bytes is one that has nothing to show, and is not
    * committed.
    */
  def prepared(rows: Vector[Prepared], startedAtMillis: Long, nowMillis: Long): TaskResult = {
    val closed = rows.map { part =>
      Pending(
        bucket = "",
        part.name,
        Closed(part.token),
        part.bytes.max(1),
        part.rows,
        startedAtMillis,
        nowMillis,
        RollReason.Checkpoint
      )
    }
    TaskResult(slot, attempt, closed, open = Vector.empty, firstPart)
  }
}

/** Whether a task is the first of its kind. "Attempt 0" alone does not say so: a repeated stage counts anew. */
private[stoplog] sealed trait Attempt extends Product with Serializable
private[stoplog] object Attempt {

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
private[stoplog] final case class TaskResult(
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
