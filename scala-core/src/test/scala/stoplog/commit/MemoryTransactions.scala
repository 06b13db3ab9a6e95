// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.collection.mutable

import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.sink._
import stoplog.thread.{Clock, Parallel}
import stoplog.twophase.PreparingWriter

/** A system with transactions, in memory: what survives all who write to it. */
final class TransactionWorld extends Serializable {
  private val open      = mutable.LinkedHashMap.empty[String, Vector[String]]
  private val committed = mutable.LinkedHashMap.empty[String, Vector[String]]

  /** What a reader of committed rows sees. */
  def rows: Seq[String] = synchronized(committed.values.flatten.toVector)

  /** Those that a reader may have to wait for. */
  def dangling: Set[String] = synchronized(open.keySet.toSet)

  def add(id: String, row: String): Unit = synchronized {
    open(id) = open.getOrElse(id, Vector.empty) :+ row
  }

  def commit(id: String): CommitOutcome = synchronized {
    if (committed.contains(id)) CommitOutcome.AlreadyCommitted
    else
      open.remove(id).fold[CommitOutcome](CommitOutcome.Lost) { rows =>
        committed(id) = rows
        CommitOutcome.Committed
      }
  }

  def abort(id: String): Unit = synchronized {
    open.remove(id)
    ()
  }
}

final class MemoryTransactions(world: TransactionWorld) extends TwoPhaseSink[String] {
  override def target: String = "memory"

  override def writer(task: WriterTask): TwoPhaseWriter[String] = new TwoPhaseWriter[String] {
    private val id   = s"${task.run.value}-${task.epoch.get}-${task.partition}-${task.attempt}"
    private var rows = 0L

    override def write(row: String): Unit = {
      world.add(id, row)
      rows += 1
    }
    override def prepare(): Vector[Prepared] = Vector(Prepared(id, id, rows, rows))
    override def abort(): Unit               = world.abort(id)
    override def close(): Unit               = ()
  }

  override def committer(): TwoPhaseCommitter = new TwoPhaseCommitter {
    override def commit(prepared: Prepared): CommitOutcome = world.commit(prepared.token)
    override def staged(): Vector[Staged]   = world.dangling.toVector.map(Staged(_, modifiedAtMillis = 0))
    override def abort(token: String): Unit = world.abort(token)
  }
}

/** A query that writes three epochs of two tasks, as Spark would: it repeats the epoch that it has not seen committed.
  *
  * Nobody cleans up after a death: what throws is never called again.
  */
final class TransactionQuery(world: TransactionWorld, log: () => stoplog.log.CommitLog, clock: Clock) {
  private var next = 0L

  /** Starts, and goes on to the end unless a fault ends it. */
  def run(faults: stoplog.fault.Faults): Unit = {
    val run    = RunId.random()
    val sink   = new MemoryTransactions(world)
    val driver = SinkDriver.ofPrepared(
      run,
      Samples.identity,
      Samples.settings,
      Ledger.Stores.of(new SinkKind(sink.kind), log(), sink.committer()),
      ForeignQuery.Refuse,
      LostPart.Fail,
      DriverTools(clock, faults, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
    )
    while (next < TransactionQuery.Epochs) {
      val plan    = driver.begin(next, slots = 2)
      val results =
        if (plan.isCommitted(next)) Vector.empty
        else Vector(0, 1).map(task(sink, plan, run, _, faults))
      driver.commit(next, results)
      next += 1
    }
    driver.end(Finish.KeepOpen)
  }

  private def task(
      sink: MemoryTransactions,
      plan: EpochPlan,
      run: RunId,
      slot: Int,
      faults: stoplog.fault.Faults
  ): TaskResult = {
    val of   = WriterTask(run, "main", Some(next), slot, attempt = 0, stageAttempt = 0)
    val task = new PreparingWriter[String](
      plan.forTask(slot, Attempt.First),
      () => sink.writer(of),
      clock,
      faults,
      () => ()
    )
    TransactionQuery.rows(next, slot).foreach(task.write)
    val result = task.commit()
    task.close()
    result
  }
}

object TransactionQuery {
  val Epochs = 3L

  def rows(epoch: Long, slot: Int): Seq[String] = (0 to 1).map(row => s"$epoch-$slot-$row")

  def allRows: Seq[String] = for {
    epoch <- 0L until Epochs
    slot  <- 0 to 1
    row   <- rows(epoch, slot)
  } yield row
}
