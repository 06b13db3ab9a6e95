// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.{LinkedHashMap => JLinkedHashMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.StoplogException
import stoplog.fault.{Faults, Step}
import stoplog.part.{Open, PartNaming, Pending, RecordShare}
import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.storage.{NewPart, PartStore}
import stoplog.thread.{Clock, Outcomes}

/** Protocol steps 4 and 5: one task of one epoch. Used by the task's thread alone.
  *
  * Nothing is opened before a bucket's first row, nothing is durable before [[commit]], and nothing is deleted at
  * all (I5): what an attempt leaves behind is in no record, and recovery finds it.
  *
  * @param spool writes the rows that the format keeps beside a part
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
  import rules.{checkBucket, maxOpenParts, mayStart, naming, policy}
  import tools.{clock, faults, parallel}

  // In order of last use, so that the first entry is the one to close when there are too many.
  private[this] val live     = new JLinkedHashMap[String, OpenPartWriter[R]](16, 0.75f, true)
  private[this] val handed   = scala.collection.mutable.Map.from(plan.handed.groupBy(_.bucket))
  private[this] val closed   = Vector.newBuilder[Pending]
  private[this] var nextPart = plan.firstPart
  private[this] var lease    = Option.empty[AutoCloseable]

  // The bucket of the row before: most rows go where the last one went.
  private[this] var lastBucket = ""
  private[this] var last       = Option.empty[OpenPartWriter[R]]

  // The time of the rows. So many went to the last part since it was read, and so many may.
  private[this] var now              = 0L
  private[this] var rowsSinceReading = 0
  private[this] var rowsPerReading   = 1

  private[this] var rows = 0L
  private[this] var done = TaskWriter.Counts(0, 0, 0)

  /** The counts of this task so far; bytes count when their part is closed or persisted. */
  def counts: TaskWriter.Counts = done

  /** A [[BadRow]] changes nothing: a caller that catches it may go on. */
  def write(bucket: String, row: R): Unit = {
    if (rowsSinceReading >= rowsPerReading) readClock()
    try writable(bucket, row).append(row, now)
    catch { case e: StoplogException => throw explained(e) }
    rowsSinceReading += 1
    rows += 1
    if (rows == 1 || (rows & FaultRowMask) == 0) faults.at(Step.MidWrite)
  }

  /** Makes everything durable and says where it is. */
  def commit(): TaskResult =
    try prepared()
    catch { case e: StoplogException => throw explained(e) }

  /** Closes whatever is still open, and promises nothing. Safe to call at any time, any number of times. */
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
      if (reason.isDefined) part.complete() // here, one by one: it computes, and may need much memory
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

  /** The bucket's part, once the policy has no objection. A part that was handed over full is closed on the way. */
  @scala.annotation.tailrec
  private def writable(bucket: String, row: R): OpenPartWriter[R] = {
    val part = partFor(bucket)
    if (part.records == 0) part
    else
      objection(part, row) match {
        case None         => part
        case Some(reason) =>
          close(part, reason)
          writable(bucket, row)
      }
  }

  private def objection(part: OpenPartWriter[R], row: R): Option[RollReason] =
    if (part.isAtLimit) Some(RollReason.Size)
    else
      policy.beforeRow(part, now) match {
        case None if !times.ofEvent.isMissing(row) => policy.onEventTime(part, times.ofEvent.millis(row))
        case answer                                => answer
      }

  private def partFor(bucket: String): OpenPartWriter[R] = last match {
    case Some(part) if (bucket eq lastBucket) || bucket == lastBucket => part
    case _                                                            =>
      readClock()
      val part = Option(live.get(bucket)).getOrElse(open(bucket))
      lastBucket = bucket
      last = Some(part)
      part
  }

  /** Not for each row of those that come fast: it would cost as much as to append a short one. Rows of the last part that
    * came since the last reading came now at the latest.
    */
  private def readClock(): Unit = {
    val read = clock.millis()
    if (rowsSinceReading > 1) last.foreach(_.writtenUntil(read)) // the first one came right behind a reading
    rowsPerReading = if (read - now <= 1) FastRows else 1
    now = read
    rowsSinceReading = 0
  }

  private def open(bucket: String): OpenPartWriter[R] = {
    checkBucket(bucket)
    enter()
    if (live.size >= maxOpenParts) close(live.values.iterator.next(), RollReason.OpenLimit)
    val part = handedOn(bucket).getOrElse(create(bucket))
    live.put(bucket, part)
    faults.at(Step.PartOpened)
    part
  }

  /** Parts that earlier epochs left open come before new ones. */
  private def handedOn(bucket: String): Option[OpenPartWriter[R]] = nextHanded(bucket).map { part =>
    if (isOurs(part))
      OpenPartWriter.resume(part, format, times)(() => store.resume(part.handle, part.validBytes))
    else // a writer that keeps this attempt from going on in place may write there, even if this one never does (I1)
      OpenPartWriter.resume(part.copy(owner = None), format, times) { () =>
        store.takeOver(part.handle, part.validBytes, NewPart(part.bucket, part.name, plan.run))
      }
  }

  private def nextHanded(bucket: String): Option[Open] = handed.get(bucket).flatMap { parts =>
    handed.update(bucket, parts.drop(1))
    parts.headOption
  }

  private def create(bucket: String): OpenPartWriter[R] = {
    val part = NewPart(bucket, naming.name(plan.run, nextPart), plan.run)
    nextPart += plan.stride
    done = done.copy(partsOpened = done.partsOpened + 1)
    OpenPartWriter.begin(part, store.create(part), format, times, clock.millis())
  }

  /** I1: in place only if no other live attempt can have been given this part. */
  private def isOurs(part: Open): Boolean = plan.attempt == Attempt.First && part.owner.contains(plan.run)

  /** Announce, then look: a driver that claims the log does it the other way round, so one of the two sees. */
  private def enter(): Unit = if (lease.isEmpty) {
    if (plan.isOfJob) store.refuseUnannounced(plan.run)
    lease = Some(store.enter(plan.run))
    if (!store.toleratesLateWriters) mayStart()
    store.refuseHost()
  }

  /** A task that did not look, and misses what the record names, may miss it because a newer run has gone on from there.
    * Then that is the error, with the failure as what it suppressed.
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

  /** A part that cannot be finished stays, to be closed with the others. */
  private def close(part: OpenPartWriter[R], reason: RollReason): Unit = {
    readClock()
    if (part.records == 0) part.close() else finish(part, reason)
    live.remove(part.bucket)
    last = None
  }

  /** Parts that were opened for a row that then could not be written are in no record. */
  private def dropEmpty(): Unit = {
    last = None
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
    last = None
    val held = lease
    lease = None
    held.foreach(_.close())
  }

  /** A policy that looks at the time may be late by one row less; see [[RollingPolicy.beforeRow]]. */
  private final val FastRows = 16

  /** The step [[Step.MidWrite]] is passed at the first row and then at every 64th. */
  private final val FaultRowMask = 63L
}

private[stoplog] object TaskWriter {

  /** The rules by which a task decides.
    *
    * @param policy       when parts are closed
    * @param maxOpenParts at most so many at a time: the one that was written to the longest time ago is closed first
    * @param checkBucket  throws if a bucket cannot be written to; called before its part is opened
    * @param mayStart     throws if this run has been fenced, or if the task does not see the record of its plan; called once before the first byte, with the lease held, or, on a
    *                     store that tolerates late writers, when a part that was handed to the task is missed
    * @param inRecord     what parts that stay open may have in the record
    */
  final case class Rules(
      policy: RollingPolicy,
      naming: PartNaming,
      maxOpenParts: Int,
      checkBucket: String => Unit,
      mayStart: () => Unit,
      inRecord: RecordShare = RecordShare.none
  )

  /** The world outside, as arguments.
    *
    * @param parallel how the task's parts are made durable at its end; what a task waits for there is the storage
    */
  final case class Tools(clock: Clock, faults: Faults, parallel: Parallel = Parallel.sequential)

  /** The readers of the rows' times.
    *
    * @param recorded the time of which each part remembers the least and the greatest
    * @param ofEvent  the time that the policy is asked about; a part remembers that of its first row
    */
  final case class Times[-R](
      recorded: OpenPartWriter.RowTimes[R] = OpenPartWriter.RowTimes.Unasked,
      ofEvent: OpenPartWriter.RowTimes[R] = OpenPartWriter.RowTimes.Unasked
  )

  /** The counts of one task, for metrics. */
  final case class Counts(partsOpened: Long, partsClosed: Long, bytesWritten: Long)
}

/** The user's policy where no part stays open at the end of an epoch.
  *
  * @param endsParts whether that is so; asked at the end of each epoch
  */
private[stoplog] final case class EpochPolicy(asked: RollingPolicy, endsParts: () => Boolean)
    extends AskingPolicy(asked) {
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    super.onEpochEnd(part, nowMillis).orElse(Option.when(endsParts())(RollReason.Checkpoint))
}

private[stoplog] object EpochPolicy {
  def apply(asked: RollingPolicy): EpochPolicy = EpochPolicy(asked, () => true)
}
