// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import stoplog.log.SinkState
import stoplog.part.{Closed, Open, PartRows, Pending, RunId}
import stoplog.rolling.RollReason
import stoplog.sink.Prepared

/** The driver's plan for the tasks of one epoch.
  *
  * @param run          the run that owns the log
  * @param seq          the newest record at the time of the plan: only another driver writes a newer record
  * @param lastEpoch    the last epoch in the log: a task of this or an older epoch has nothing to do
  * @param slots        the number of tasks
  * @param handed       for each slot, the open parts for its task to resume; parts of one bucket in this
  *                     order
  * @param firstPart    the first free part number; slot `s` uses `firstPart + s`, then every `slots`-th
  *                     number
  * @param madeAtMillis the time of the plan by the driver's clock; `None` if nothing depends on the time
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

  /** Returns whether the epoch is already in the log: Spark repeats an epoch whose commit it missed. */
  def isCommitted(epoch: Long): Boolean = lastEpoch.exists(_ >= epoch)

  def forTask(slot: Int, attempt: Attempt): TaskPlan =
    TaskPlan(run, seq, slot, attempt, handed.getOrElse(slot, Vector.empty), firstPart + slot, slots)
}

private[stoplog] object EpochPlan {

  /** The record number of a plan without a record. */
  private[stoplog] final val NoRecord = -1L

  /** Creates the plan of a batch job, which is never repeated. */
  private[stoplog] def ofJob(run: RunId, slots: Int): EpochPlan =
    EpochPlan(run, NoRecord, lastEpoch = None, slots, Map.empty, firstPart = 0)

  /** Creates the plan from the open parts of a state.
    *
    * @param seq the newest record
    */
  private[stoplog] def of(run: RunId, seq: Long, state: SinkState, slots: Int, nowMillis: Long): EpochPlan =
    EpochPlan(run, seq, state.lastEpoch, slots, assign(state.open, slots), state.nextPart, Some(nowMillis))

  /** Assigns open parts to tasks, which resume them.
    *
    * Parts are matched by bucket. The slot is only a preference, because adaptive execution may change the
    * number of tasks with every epoch. If a bucket has more open parts than there are tasks, some tasks get
    * several parts. Such a task resumes the first part, and the next part when the first is full. So a
    * shrinking number of tasks closes no part early. As long as every slot exists, buckets are not compared.
    */
  private[stoplog] def assign(open: Vector[Open], slots: Int): Map[Int, Vector[Open]] =
    if (open.forall(_.slot < slots)) open.groupBy(_.slot)
    else open.groupBy(_.bucket).values.toVector.flatMap(assignBucket(_, slots)).groupMap(_._1)(_._2)

  /** Keeps existing slots. A part without a slot moves to the task with the fewest parts of this bucket. */
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

/** The share of one task in an [[EpochPlan]]. */
private[stoplog] final case class TaskPlan(
    run: RunId,
    seq: Long,
    slot: Int,
    attempt: Attempt,
    handed: Vector[Open],
    firstPart: Long,
    stride: Int
) {

  /** Returns whether the task belongs to a batch job, whose log has no record yet. */
  def isOfJob: Boolean = seq == EpochPlan.NoRecord

  /** Returns the result of a task that leaves no part open. A part of 0 bytes counts as empty and is not
    * committed, so each part reports at least 1 byte.
    */
  def prepared(rows: Vector[Prepared], startedAtMillis: Long, nowMillis: Long): TaskResult = {
    val closed = rows.map { part =>
      Pending(
        bucket = "",
        part.name,
        Closed(part.token),
        part.bytes.max(1),
        PartRows(part.rows, startedAtMillis, nowMillis),
        RollReason.Checkpoint
      )
    }
    TaskResult(slot, attempt, closed, open = Vector.empty, firstPart)
  }
}

/** Whether a task is a first attempt. "Attempt 0" does not suffice: a repeated stage restarts the numbers. */
private[stoplog] sealed trait Attempt extends Product with Serializable
private[stoplog] object Attempt {

  /** No other attempt has ever received the same parts: in-place writes are safe (I1). */
  case object First extends Attempt

  /** Another attempt of the same task may still be writing. */
  case object Repeated extends Attempt

  def of(taskAttempt: Int, stageAttempt: Int): Attempt =
    if (taskAttempt == 0 && stageAttempt == 0) First else Repeated
}

/** The report of a task: its parts, each durable (protocol step 5).
  *
  * @param nextPart     the first unused part number
  * @param rejectedRows the number of rows in rejected parts, because the format could not write the rows
  */
private[stoplog] final case class TaskResult(
    slot: Int,
    attempt: Attempt,
    closed: Vector[Pending],
    open: Vector[Open],
    nextPart: Long,
    rejectedRows: Long = 0
) {

  /** Returns this result, extended by the parts of rejected rows. */
  def withRejected(rejected: TaskResult, rows: Long): TaskResult = copy(
    closed = closed ++ rejected.closed,
    open = open ++ rejected.open,
    nextPart = nextPart.max(rejected.nextPart),
    rejectedRows = rows
  )
}
