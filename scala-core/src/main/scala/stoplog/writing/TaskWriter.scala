// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.StoplogException
import stoplog.fault.{Faults, Step}
import stoplog.part.{PartNaming, Pending, RecordShare}
import stoplog.plan.{TaskPlan, TaskResult}
import stoplog.rolling.{DelegatingPolicy, PartStats, RollReason, RollingPolicy, RowLimits}
import stoplog.storage.{NewPart, PartStore}
import stoplog.thread.{Clock, Outcomes, Parallel}

/** Protocol steps 4 and 5: one task of one epoch. Used only by the task's thread.
  *
  * Nothing is opened before a bucket's first row, nothing is durable before [[stoplog]], and nothing is
  * deleted (I5). The remains of an attempt are in no record, and recovery finds the remains.
  *
  * @param spool writes the rows that the format spools
  */
private[stoplog] final class TaskWriter[R](
    plan: TaskPlan,
    store: PartStore,
    spool: SpoolWriter,
    format: PartFormat[R],
    rules: TaskWriter.Rules,
    tools: TaskWriter.Tools,
    times: TaskWriter.Times[R] = TaskWriter.Times[R]()
) {
  import OpenPartWriter.RowTimes
  import TaskWriter.NoBucket
  import rules.{checkBucket, maxOpenParts, mayStart, naming, policy}
  import tools.{clock, faults, parallel}

  // In order of last use: the first entry is closed if there are too many.
  private[this] val live     = new JLinkedHashMap[String, OpenPartWriter[R]](16, 0.75f, true)
  private[this] val handed   = new HandedParts(plan, store, tools.clock)
  private[this] val closed   = Vector.newBuilder[Pending]
  private[this] var nextPart = plan.firstPart
  private[this] var lease    = Option.empty[AutoCloseable]

  // The part of the preceding row: most rows have its bucket. There is none while the bucket is `NoBucket`.
  private[this] var lastBucket              = NoBucket
  private[this] var last: OpenPartWriter[R] = _

  // The time of the rows, the number of rows until the next reading, and the parts of the rows since the last
  // reading, without the last part.
  private[this] var now            = 0L
  private[this] var rowsPerReading = 0
  private[this] var rowsToReading  = 0
  private[this] val left           = new Array[OpenPartWriter[_]](FastRows)
  private[this] var leftCount      = 0

  private[this] val limits = if (times.ofEvent == RowTimes.NoTimes) RowLimits.of(policy) else RowLimits.None
  private[this] val areLimited  = limits != RowLimits.None // or else the policy is called before each row
  private[this] val mostBytes   = limits.mostBytes
  private[this] val mostRecords = limits.mostRecords

  // Negative if the next row needs a look at the clock, at the limits of its part, or at both.
  private[this] var room = -1L

  private[this] var rows = 0L
  private[this] var done = TaskWriter.Counts(0, 0, 0)

  /** Returns the counts of this task so far; bytes count when their part is closed or persisted. */
  def counts: TaskWriter.Counts = done

  /** Returns the number of rows written so far. */
  def rowsWritten: Long = rows

  /** Writes a row. A [[BadRow]] changes nothing: a caller may catch the error and continue.
    *
    * A branch that is first taken at the end of a part costs the compiled code of this path: the JVM compiles
    * branches only after they were taken. Therefore the first row of a task and a full part share the branch
    * of the clock's readings.
    */
  def write(bucket: String, row: R): Unit = {
    try {
      if (room < 0 || (bucket ne lastBucket)) turnTo(bucket, row)
      last.append(row, now)
    } catch {
      case e: StoplogException => throw explained(e)
      case bad: BadRow         =>
        rowsToReading -= 1 // the row may have caused the last reading
        room = -1
        throw bad
    }
    rowsToReading -= 1
    room = (rowsToReading - 1) | last.room(mostBytes, mostRecords)
    rows += 1
    if ((rows & FaultRowMask) == 1) faults.at(Step.MidWrite)
  }

  /** Makes all rows durable, and returns the parts. */
  def commit(): TaskResult =
    try prepared()
    catch { case e: StoplogException => throw explained(e) }

  /** Closes all open parts, and returns nothing. May be called at any time, any number of times. */
  def close(): Unit = {
    val parts = live.values.asScala.toVector.map(part => () => part.close())
    Outcomes.each(parts ++ Seq(() => forget(), () => format.close()): _*)
  }

  private def prepared(): TaskResult = {
    faults.at(Step.BeforeSync)
    readClock()
    dropEmpty()
    val ended = live.values.asScala.toVector.map { part =>
      part.pause()
      val reason = policy.onEpochEnd(part, now).orElse(policy.onTime(part, now))
      if (reason.isDefined) part.complete() // one by one, because this computes and may need much memory
      part -> reason
    }
    val inRecordBytes    = rules.inRecord.of(plan.handed.size + done.partsOpened.toInt, plan.stride)
    val (finished, open) = parallel
      .map(ended) { case (part, reason) =>
        reason.map(part.finish).toLeft(part.persist(plan.slot, plan.run, spool, inRecordBytes))
      }
      .toVector
      .partitionMap(identity)
    closed ++= finished
    done = done.copy(
      partsClosed = done.partsClosed + finished.size,
      bytesWritten = done.bytesWritten + ended.map(_._1.bytesAdded).sum
    )
    forget()
    faults.at(Step.AfterSync)
    TaskResult(plan.slot, plan.attempt, closed.result(), open, nextPart)
  }

  /** Makes the bucket's part the last part once the policy accepts the row. Closes a full part, also one that
    * was handed over full.
    */
  @scala.annotation.tailrec
  private def turnTo(bucket: String, row: R): Unit = {
    val isLast = (lastBucket ne NoBucket) && bucket == lastBucket
    if (isLast) lastBucket = bucket // an assigner may create an equal name for each row
    if (!isLast || room < 0) {
      if (needsTime(isLast)) readClock() else if (!isLast && (lastBucket ne NoBucket)) leave(last)
      if (!isLast) {
        last = Option(live.get(bucket)).getOrElse(open(bucket))
        lastBucket = bucket
      }
      if (last.records > 0 && !(areLimited && last.room(mostBytes, mostRecords) >= 0))
        objection(last, row) match {
          case None         => ()
          case Some(reason) =>
            close(last, reason)
            turnTo(bucket, row)
        }
    }
  }

  /** Whether the clock must be read before the row: if a reading is due, if the last part is full, or if the
    * policy is called for another part.
    */
  private def needsTime(isLast: Boolean): Boolean =
    rowsToReading <= 0 || leftCount == left.length || isLast == areLimited

  private def leave(part: OpenPartWriter[R]): Unit = {
    left(leftCount) = part
    leftCount += 1
  }

  private def objection(part: OpenPartWriter[R], row: R): Option[RollReason] =
    if (part.isAtLimit) Some(RollReason.Size)
    else
      policy.beforeRow(part, now) match {
        case None if !times.ofEvent.isMissing(row) => policy.onEventTime(part, times.ofEvent.millis(row))
        case answer                                => answer
      }

  /** Reads the clock, but not for each of many fast rows: a reading costs as much as a short row. The rows
    * since the last reading were written now at the latest.
    */
  private def readClock(): Unit = {
    val read = clock.millis()
    // The first row followed a reading directly.
    if (rowsPerReading - rowsToReading > 1 && (lastBucket ne NoBucket)) last.writtenUntil(read, since = now)
    while (leftCount > 0) {
      leftCount -= 1
      left(leftCount).writtenUntil(read, since = now)
      left(leftCount) = null
    }
    rowsPerReading = if (read - now <= 1) FastRows else 1
    rowsToReading = rowsPerReading
    now = read
  }

  private def open(bucket: String): OpenPartWriter[R] = {
    checkBucket(bucket)
    enter()
    if (live.size >= maxOpenParts) close(live.values.iterator.next(), RollReason.OpenLimit)
    val part = handedOn(bucket).getOrElse(create(bucket))
    live.put(bucket, part)
    faults.at(Step.PartOpened)
    part.begin()
    part
  }

  /** Returns a part left open by earlier epochs; such parts are used before new parts. */
  private def handedOn(bucket: String): Option[OpenPartWriter[R]] = handed.next(bucket).map { part =>
    OpenPartWriter.resume(part, format, times) { () =>
      if (part.owner.contains(plan.run)) store.resume(part.handle, part.validBytes)
      else store.takeOver(part.handle, part.validBytes, NewPart(part.bucket, part.name, plan.run))
    }
  }

  private def create(bucket: String): OpenPartWriter[R] = {
    val part = NewPart(bucket, naming.name(plan.run, nextPart), plan.run)
    nextPart += plan.stride
    done = done.copy(partsOpened = done.partsOpened + 1)
    OpenPartWriter.begin(part, store.create(part), format, times, clock.millis())
  }

  /** Announces the task, then looks for a newer run. A driver claims the log first, and then looks for tasks.
    * So one of the two sees the other.
    */
  private def enter(): Unit = if (lease.isEmpty) {
    if (plan.isOfJob) store.refuseUnannounced(plan.run)
    lease = Some(store.enter(plan.run))
    if (!store.toleratesLateWriters) mayStart()
    store.refuseHost()
  }

  /** Returns the fencing error, with the failure suppressed, if a newer run may have taken the missing files.
    * On a store that tolerates late writers, the task has not looked for a newer run before.
    */
  private def explained(failure: StoplogException): Throwable =
    if (!store.toleratesLateWriters) failure
    else
      try {
        mayStart()
        failure
      } catch {
        case fenced: StoplogException if fenced.getCondition == "STOPLOG_FENCED" =>
          fenced.addSuppressed(failure)
          fenced
        case NonFatal(other) =>
          failure.addSuppressed(other)
          failure
      }

  /** A part that cannot be finished stays, and is closed with the other parts. */
  private def close(part: OpenPartWriter[R], reason: RollReason): Unit = {
    readClock()
    if (part.records == 0) part.close() else finish(part, reason)
    live.remove(part.bucket)
    lastBucket = NoBucket
  }

  /** Closes parts opened for a row that then could not be written; no record names such a part. */
  private def dropEmpty(): Unit = {
    lastBucket = NoBucket
    live.values.removeIf { part =>
      val empty = part.records == 0
      if (empty) part.close()
      empty
    }
    ()
  }

  private def finish(part: OpenPartWriter[R], reason: RollReason): Unit = {
    part.complete()
    closed += part.finish(reason)
    done = done.copy(partsClosed = done.partsClosed + 1, bytesWritten = done.bytesWritten + part.bytesAdded)
  }

  private def forget(): Unit = {
    live.clear()
    lastBucket = NoBucket
    val held = lease
    lease = None
    held.foreach(_.close())
  }

  /** A policy that reads the time may be late by one row less; see [[RollingPolicy.beforeRow]]. */
  private final val FastRows = 16

  /** [[Step.MidWrite]] is passed at the first row and then every 64 rows. */
  private final val FaultRowMask = 63L
}

private[stoplog] object TaskWriter {

  /** No row's bucket. Only `eq` and `ne` may compare this object, because a bucket can have any text. */
  private val NoBucket = new String

  /** The rules by which a task decides.
    *
    * @param policy       decides when parts are closed
    * @param maxOpenParts the limit of open parts: the part with the oldest last write is closed first
    * @param checkBucket  throws if a bucket cannot be written to; called before its part is opened
    * @param mayStart     throws if this run has been fenced, or if the task does not see the record of its
    *                     plan. Called once before the first byte, with the lease held. On a store that
    *                     tolerates late writers, called when a part of the task is missing
    * @param inRecord     the share of open parts in the record
    */
  final case class Rules(
      policy: RollingPolicy,
      naming: PartNaming,
      maxOpenParts: Int,
      checkBucket: String => Unit,
      mayStart: () => Unit,
      inRecord: RecordShare = RecordShare.none
  )

  /** The environment of a task, as arguments.
    *
    * @param parallel makes the task's parts durable at its end, while the task waits for the storage
    */
  final case class Tools(clock: Clock, faults: Faults, parallel: Parallel = Parallel.sequential)

  /** The readers of the rows' times.
    *
    * @param recorded the time whose minimum and maximum each part records
    * @param ofEvent  the time for the policy; each part records the time of its first row
    */
  final case class Times[-R](
      recorded: OpenPartWriter.RowTimes[R] = OpenPartWriter.RowTimes.NoTimes,
      ofEvent: OpenPartWriter.RowTimes[R] = OpenPartWriter.RowTimes.NoTimes
  )

  /** The counts of one task, for metrics. */
  final case class Counts(partsOpened: Long, partsClosed: Long, bytesWritten: Long)
}

/** The user's policy if no part stays open at the end of an epoch.
  *
  * @param endsParts whether this applies; called at the end of each epoch
  */
private[stoplog] final case class EpochPolicy(userPolicy: RollingPolicy, endsParts: () => Boolean)
    extends DelegatingPolicy {
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    super.onEpochEnd(part, nowMillis).orElse(Option.when(endsParts())(RollReason.Checkpoint))
}

private[stoplog] object EpochPolicy {
  def apply(userPolicy: RollingPolicy): EpochPolicy = EpochPolicy(userPolicy, () => true)
}
