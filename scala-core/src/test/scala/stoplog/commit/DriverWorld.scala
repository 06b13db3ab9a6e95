// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogRecord, LogRules, MemoryRecords}
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.RollingPolicy
import stoplog.thread.Parallel
import stoplog.writing.{PartFormat, TaskWriters}

/** A storage and a clock in memory, and the drivers and tasks that work on them. */
final class DriverWorld(
    policy: RollingPolicy,
    format: PartFormat[String] = Lines,
    rules: LogRules = LogRules.standard
) {
  val parts      = new MemoryParts
  val records    = new MemoryRecords
  val log        = new CommitLog(records, rules)
  val clock      = new ManualClock(1000000)
  val spoolFiles = new MemorySpoolFiles(clock)

  def stores: SinkStores = SinkStores.of(log, parts, spoolFiles)

  /** Counts how often it was acquired and released. */
  final class CountedLock extends DriverLock {
    private val real = DriverLock.semaphore()
    var taken: Int   = 0
    var back: Int    = 0

    override def acquire(): Unit       = { real.acquire(); taken += 1 }
    override def tryAcquire(): Boolean = {
      val got = real.tryAcquire()
      if (got) taken += 1
      got
    }
    override def release(): Unit = { back += 1; real.release() }
  }

  def driver(
      run: RunId = Samples.mine,
      lock: DriverLock = DriverLock.semaphore(),
      settings: SinkSettings = Samples.settings,
      onForeign: ForeignQuery = ForeignQuery.Refuse,
      onLost: LostPart = LostPart.Fail,
      identity: SinkIdentity = Samples.identity,
      parallel: Parallel = Parallel.sequential,
      retry: StorageRetry = StorageRetry.never,
      followUps: FollowUps = MemoryNotes.unasked,
      compaction: Compaction = Compaction.Off,
      onRestart: Finish = Finish.KeepOpen,
      announcing: Announcing = Announcing.Nothing
  ): SinkDriver = SinkDriver.ofParts(
    run,
    identity,
    settings,
    stores,
    () => format,
    DriverRules(policy, followUps, onForeign, onLost, onRestart, compaction),
    DriverTools(clock, Faults.none, lock, parallel, retry, announcing)
  )

  /** One task's work: one row a bucket. */
  def task(plan: EpochPlan, slot: Int, buckets: String*): TaskResult =
    task(plan, slot, Attempt.First)(buckets: _*)

  def task(plan: EpochPlan, slot: Int, attempt: Attempt)(buckets: String*): TaskResult = {
    val writer = TaskWriters.of(plan.forTask(slot, attempt), parts, format, policy, clock, spoolFiles)
    buckets.foreach(bucket => writer.write(bucket, s"row of $bucket"))
    writer.commit()
  }

  /** An epoch of one task. */
  def epoch(driver: SinkDriver, number: Long, buckets: String*): Unit = {
    val plan = driver.begin(number, slots = 1)
    driver.commit(number, Seq(task(plan, 0, buckets: _*)))
  }

  def newest: LogRecord = log.newest().getOrElse(throw new AssertionError("the log is empty"))

  /** All rows that can be seen. */
  def rows: Vector[String] = parts.finished.values.flatMap(_.linesIterator).filter(_ != "#").toVector.sorted
}
