// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import scala.annotation.tailrec
import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import stoplog.commit._
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.CommitLog
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.{Attempt, EpochPlan, TaskPlan, TaskResult}
import stoplog.storage.PartStore
import stoplog.thread.{Clock, Parallel}
import stoplog.writing.{SpoolWriter, TaskWriter}

/** What an engine remembers of a query in its checkpoint: which epoch it began, and which it saw committed. */
final case class Checkpoint(begun: Long, committed: Long) {

  /** An epoch that was begun and not seen committed is repeated; otherwise the next one is begun. */
  def begin: Checkpoint = if (begun > committed) this else copy(begun = begun + 1)

  def commit: Checkpoint = copy(committed = begun)

  /** For [[Checkpoint.parse]], in another process. */
  def print: String = s"$begun $committed"
}

object Checkpoint {
  val empty: Checkpoint = Checkpoint(-1, -1)

  def parse(text: String): Checkpoint = {
    val numbers = text.split(' ').map(_.toLong)
    Checkpoint(numbers(0), numbers(1))
  }
}

/** One run of a query, start to end, on one thread: what the engine does, without the engine. */
final class Job(
    place: Place,
    clock: ManualClock,
    faults: Faults,
    from: Checkpoint,
    announcing: Announcing = Announcing.Nothing
) {
  import Job.Rows

  @volatile private var now = from

  private val run   = RunId.random()
  private val store = place.parts(faults)
  private val log   = place.log(faults)

  private val driver = Job.driver(place, clock, faults, run, announcing)

  /** As it stands on disk now. */
  def checkpoint: Checkpoint = now

  /** A run to which no epoch is left finishes what earlier runs have left. */
  def go(epochs: Long, finish: Finish): Unit =
    if (now.committed + 1 < epochs) {
      while (now.committed + 1 < epochs) epoch()
      driver.end(finish)
    } else {
      log.newest().foreach(newest => driver.waitFrom(newest.seq))
      driver.end(Finish.PublishOpen)
    }

  private def epoch(): Unit = {
    val again = now.begun > now.committed
    now = now.begin
    val epoch   = now.begun
    val plan    = driver.begin(epoch, JobRows.slots(epoch))
    val results =
      if (plan.isCommitted(epoch)) Seq.empty else (0 until plan.slots).map(task(plan, epoch, _, again))
    driver.commit(epoch, results)
    now = now.commit
    clock.advance(JobRows.pauseMillis(epoch))
    for (_ <- 1 to ticks) driver.tick()
  }

  /** A bucket that is to be marked has its parts closed by one, merged by the next, and then gets its marker. */
  private def ticks: Int = if (place.content.compaction.isEmpty) 1 else 3

  /** Every third epoch the first attempt of a task fails half-way, and is repeated.
    *
    * An epoch that is done again gets its rows in another order and in other tasks, as after a shuffle: two writers
    * of one file would not be noticed if both wrote the same rows.
    */
  private def task(plan: EpochPlan, epoch: Long, slot: Int, again: Boolean): TaskResult = {
    val rows = if (again) JobRows.of(epoch, (slot + 1) % plan.slots).reverse else JobRows.of(epoch, slot)
    if (epoch % 3 == 1 && slot == 0) {
      val failed = writer(plan.forTask(slot, Attempt.First))
      rows.take(rows.size / 2).foreach { case (bucket, row) => failed.write(bucket, row) }
      failed.close()
      attempt(plan, slot, rows, Attempt.Repeated, left = Job.TaskAttempts - 1)
    } else attempt(plan, slot, rows, Attempt.First, left = Job.TaskAttempts)
  }

  @tailrec
  private def attempt(plan: EpochPlan, slot: Int, rows: Rows, attempt: Attempt, left: Int): TaskResult =
    Try(write(plan.forTask(slot, attempt), rows)) match {
      case Success(result)        => result
      case Failure(_) if left > 1 => this.attempt(plan, slot, rows, Attempt.Repeated, left - 1)
      case Failure(e)             => throw e
    }

  private def write(plan: TaskPlan, rows: Rows): TaskResult = {
    val task = writer(plan)
    try {
      rows.foreach { case (bucket, row) => task.write(bucket, row) }
      task.commit()
    } catch { case NonFatal(e) => task.close(); throw e }
  }

  private def writer(plan: TaskPlan): RowsOrRejected = {
    def of(content: Content) = Job.writer(plan, place, content, store, log, clock, faults)
    new RowsOrRejected(of(place.content), () => of(Content.Plain))
  }
}

object Job {
  private type Rows = Seq[(String, String)]

  def driver(
      place: Place,
      clock: Clock,
      faults: Faults,
      run: RunId,
      announcing: Announcing = Announcing.Nothing
  ): SinkDriver = SinkDriver.ofParts(
    run,
    SinkIdentity(place.root, Place.SinkId, "query"),
    SinkSettings(Map("timeZone" -> "UTC"), place.content.name),
    SinkStores.of(place.log(faults), place.parts(faults), place.spoolFiles(), place.finished()),
    () => place.content.format(place.spoolFiles()),
    DriverRules(
      place.policy,
      CompletionCheck.followUps(place),
      ForeignQuery.Refuse,
      LostPart.Fail,
      place.content.onRestart,
      place.content.compaction.fold(Compaction.Off: Compaction)(compaction(_, place, clock, faults, run))
    ),
    DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, retry, announcing)
  )

  private def compaction(policy: CompactionPolicy, place: Place, clock: Clock, faults: Faults, run: RunId) =
    new SmallParts(
      run,
      SmallParts.Choice(policy, PartNaming("part", ".txt"), _ => true),
      new PlaceCompactionRunner(place, faults),
      place.finished(),
      () => true,
      clock,
      faults
    )

  def writer(
      plan: TaskPlan,
      place: Place,
      content: Content,
      store: PartStore,
      log: CommitLog,
      clock: Clock,
      faults: Faults
  ): TaskWriter[String] = new TaskWriter(
    plan,
    store,
    spool = new SpoolWriter(place.spoolFiles(), faults, filesPerLevel = 2),
    content.format(place.spoolFiles()),
    TaskWriter.Rules(
      place.policy,
      PartNaming("part", ".txt"),
      2,
      _ => (),
      () =>
        if (log.newest().exists(_.seq > plan.seq))
          throw Errors.fenced(place.root, Place.SinkId, plan.seq, "a newer run"),
      place.inRecord
    ),
    TaskWriter.Tools(clock, faults),
    TaskWriter.Times(ofEvent = content.eventTimes)
  )

  private def retry: StorageRetry = StorageRetry.jittered(tries = 4, baseMillis = 100, Thread.sleep(_))

  /** As many as an engine makes before the query fails. */
  private val TaskAttempts = 4
}
