// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.log.CommitLog
import stoplog.log.LogFiles
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.sink.{TwoPhaseCommitter, TwoPhaseWriter, WriterTask}
import stoplog.storage.local.LocalFileStore
import stoplog.storage.local.LocalForcing
import stoplog.thread.{Clock, Parallel}
import stoplog.twophase.PreparingWriter

/** A process of a query whose sink commits in two phases, with its log below a local directory.
  *
  * @param rows of each task of an epoch
  */
final class PreparedProcess[R](
    root: String,
    run: RunId,
    committer: TwoPhaseCommitter,
    writer: WriterTask => TwoPhaseWriter[R],
    rows: Long => Seq[Seq[R]],
    clock: Clock,
    faults: Faults,
    onLost: LostPart = LostPart.Fail
) extends ConnectorWorld.Process {

  private val driver = SinkDriver.ofPrepared(
    run,
    SinkIdentity(root, "main", "query"),
    SinkSettings(Map.empty, ""),
    Ledger.Stores.of(
      new SinkKind("prepared"),
      new CommitLog(new LogFiles(LocalFileStore.ofSink(root, "main", LocalForcing.Process), "main", faults)),
      committer
    ),
    ForeignQuery.Refuse,
    onLost,
    DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
  )

  override def epoch(number: Long): Unit = epoch(number, ())

  /** @param between runs before the commit */
  def epoch(number: Long, between: => Unit): Unit = {
    val tasks = rows(number)
    val plan  = driver.begin(number, tasks.size)
    // An engine asks no task of an epoch that is in the log.
    val results =
      if (plan.isCommitted(number)) Vector.empty
      else tasks.zipWithIndex.map { case (rows, slot) => task(number, plan, slot, rows) }
    between
    driver.commit(number, results)
  }

  override def end(): Unit = driver.end(Finish.KeepOpen)

  private def task(number: Long, plan: EpochPlan, slot: Int, rows: Seq[R]): TaskResult = {
    val of   = WriterTask(run, "main", Some(number), slot, attempt = 0, stageAttempt = 0)
    val task =
      new PreparingWriter[R](plan.forTask(slot, Attempt.First), () => writer(of), clock, faults, () => ())
    try {
      rows.foreach(task.write)
      task.commit()
    } finally task.close()
  }
}
