// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.util.UUID

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogFiles}
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan}
import stoplog.rolling.RollingPolicy
import stoplog.storage.PartStore
import stoplog.thread.Parallel
import stoplog.writing.TaskWriters

/** Counts the requests to a server while a sink runs on it: driver and task, whole epochs.
  *
  * @param calls how often each was asked for until now
  */
final class StoreRequestCounter(
    root: String,
    store: PartStore,
    records: LogFiles,
    calls: () => Map[String, Long]
) {
  import StoreRequestCounter._

  /** The calls of one epoch: those that it makes once, and those that it makes for each part.
    *
    * @param rowBytes what each part gets in each epoch, as one row
    */
  def perEpoch(policy: RollingPolicy, rowBytes: Int, parts: Int, epochs: Int): PerEpoch = {
    val one  = counted(policy, rowBytes, 1, epochs)
    val many = counted(policy, rowBytes, parts, epochs)
    val each = (one.keySet ++ many.keySet).map { call =>
      call -> (many.getOrElse(call, 0.0) - one.getOrElse(call, 0.0)) / (parts - 1)
    }.toMap
    PerEpoch(
      once = seen(one.map { case (call, count) => call -> (count - each(call)) }),
      each = seen(each)
    )
  }

  private def counted(policy: RollingPolicy, rowBytes: Int, parts: Int, epochs: Int): Map[String, Double] = {
    val driver                    = driverOf(policy)
    val row                       = "-" * (rowBytes - 1)
    def epoch(number: Long): Unit = {
      val plan   = driver.begin(number, slots = 1)
      val writer = task(plan, policy)
      (1 to parts).foreach(n => writer.write(s"b$n", row))
      driver.commit(number, Seq(writer.commit()))
    }
    epoch(0) // opens the parts
    val before = calls()
    (1 to epochs).foreach(n => epoch(n.toLong))
    val all = calls().map { case (call, count) =>
      call -> (count - before.getOrElse(call, 0L)).toDouble / epochs
    }
    records.delete(records.list())
    all
  }

  private def driverOf(policy: RollingPolicy) = SinkDriver.ofParts(
    RunId(UUID.randomUUID().toString), // else its files would have the names of the last one's
    SinkIdentity(root, "main", "query"),
    SinkSettings(Map.empty, "text"),
    SinkStores.of(new CommitLog(records), store, new MemorySpoolFiles),
    () => Lines,
    DriverRules(policy, MemoryNotes.unasked, ForeignQuery.Refuse, LostPart.Fail),
    DriverTools(
      new ManualClock(0),
      Faults.none,
      DriverLock.semaphore(),
      Parallel.sequential,
      StorageRetry.never
    )
  )

  private def task(plan: EpochPlan, policy: RollingPolicy) =
    TaskWriters.of(
      plan.forTask(0, Attempt.First),
      store,
      Lines,
      policy,
      new ManualClock(0),
      new MemorySpoolFiles
    )
}

object StoreRequestCounter {

  /** The calls of an epoch on average, by what is asked for. */
  final case class PerEpoch(once: Map[String, Double], each: Map[String, Double])

  /** Not what a few calls more in one of the two measurements leave. */
  private def seen(calls: Map[String, Double]): Map[String, Double] = calls.filter(_._2.abs >= 0.05)
}
