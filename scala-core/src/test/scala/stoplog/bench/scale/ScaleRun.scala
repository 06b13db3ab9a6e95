// SPDX-License-Identifier: Apache-2.0
package stoplog.bench.scale

import java.io.{ObjectOutputStream, OutputStream}
import java.lang.management.ManagementFactory
import java.nio.file.Path

import com.sun.management.{OperatingSystemMXBean, ThreadMXBean}

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.log.{CommitLog, LogFiles}
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan, TaskPlanner, TaskResult}
import stoplog.storage.{ReplacedFiles, SpoolFiles}
import stoplog.storage.local.{LocalFileStore, LocalForcing}

/** The production driver with one open part for each task and bucket, over a simulated storage.
  *
  * @param root an empty local directory, for the bytes of the log
  */
private[scale] final class ScaleRun(storage: SimulatedStorage, size: ScaleSize, root: Path) {
  import ScaleRun._
  import size.{buckets, tasks}

  private val first = RunId("11111111-1111-4111-8111-111111111111")
  private val meter = new Meter
  private val clock = new ManualClock(1700000000000L)
  private val parts = new ScaleParts(size, storage, first)
  private val files = new MeteredFiles(
    LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process),
    storage,
    meter
  )
  private val stores = new MeteredParts(parts, storage, meter)
  private val empty  = heapBytes()

  private val planner = new TaskPlanner
  private val carrier = new CountingCarrier

  private var batch = -1L // of the newest epoch

  /** The medians of so many epochs of each kind. */
  def figures(epochs: Int): Figures = {
    val driver = driverOf(first)
    epoch(driver)(opened)
    val all   = Vector.fill(epochs)(epoch(driver)(everyPart))
    val few   = Vector.fill(epochs)(epoch(driver)(tenParts))
    val next  = driverOf(RunId("22222222-2222-4222-8222-222222222222"))
    val found = recovered(next)
    planner.close()
    val held = heapBytes() - empty
    next.end(Finish.KeepOpen)
    Figures(Cost.median(all), Cost.median(few), found, held, few.map(_.record).sum / few.size)
  }

  /** From the start of a driver that finds the log of one that was killed, until its tasks can begin. */
  private def recovered(driver: SinkDriver): Cost = {
    clock.advance(byMillis = 60 * 60 * 1000)
    batch += 1
    cost(driver.begin(batch, tasks))._2
  }

  private def epoch(driver: SinkDriver)(results: EpochPlan => Vector[TaskResult]): Cost = {
    batch += 1
    clock.advance(byMillis = 1000)
    val (plan, begun) = cost(driver.begin(batch, tasks))
    val (plans, sent) = cost(sentToTask(plan))
    val done          = results(plan)
    val (_, decided)  = cost(driver.commit(batch, done))
    (begun + sent + decided).copy(plan = plans)
  }

  /** Bytes: of the object that all tasks get, and of what an average task asks for besides that it has not got before. */
  private def sentToTask(plan: EpochPlan): Long = {
    val before = carrier.bytes
    serialized(planner.next(plan, carrier.carry)) + (carrier.bytes - before) / tasks
  }

  private def opened(plan: EpochPlan): Vector[TaskResult] = Vector.tabulate(tasks) { slot =>
    val open = Vector.tabulate(buckets)(parts.open(slot, _, clock.millis()))
    parts.areOpen = true
    TaskResult(slot, Attempt.First, Vector.empty, open, nextPart = size.parts.toLong)
  }

  private def everyPart(plan: EpochPlan): Vector[TaskResult] =
    Vector.tabulate(tasks)(slot => written(plan, slot, most = buckets))

  private def tenParts(plan: EpochPlan): Vector[TaskResult] = {
    val slots = (0 until Few).map(_ * (tasks / Few)).toSet
    Vector.tabulate(tasks)(slot => written(plan, slot, most = if (slots(slot)) 1 else 0))
  }

  /** A task that has written a row to each of so many parts. */
  private def written(plan: EpochPlan, slot: Int, most: Int): TaskResult = {
    val task = plan.forTask(slot, Attempt.First)
    val open = task.handed.take(most).map { part =>
      part.copy(
        validBytes = part.validBytes + 100,
        rows = part.rows.copy(count = part.records + 1, lastWrittenAtMillis = clock.millis())
      )
    }
    TaskResult(slot, Attempt.First, Vector.empty, open, task.firstPart)
  }

  private def driverOf(run: RunId): SinkDriver = SinkDriver.ofParts(
    run,
    SinkIdentity("simulated", "main", "query"),
    SinkSettings(Map.empty, "text"),
    SinkStores.of(
      new CommitLog(new LogFiles(files, "main")),
      stores,
      new SpoolFiles(files, "main"),
      new ReplacedFiles(files, "main")
    ),
    () => Lines,
    DriverRules(Rolls.never, MemoryNotes.unasked, ForeignQuery.Refuse, LostPart.Fail),
    DriverTools(
      clock,
      Faults.none,
      DriverLock.semaphore(),
      new MeteredParallel(meter, DriverThreads),
      StorageRetry.never
    )
  )

  private def cost[A](action: => A): (A, Cost) = {
    val (requests, millis, bytes) = (meter.requests, meter.millis, files.written)
    val (cpu, allocated)          = (cpuMillis(), allocatedBytes())
    val result                    = action
    result -> Cost(
      cpuMillis() - cpu,
      meter.millis - millis,
      meter.requests.map { case (name, count) => name -> (count - requests.getOrElse(name, 0L)) },
      files.written - bytes,
      plan = 0,
      allocatedBytes() - allocated
    )
  }
}

private[scale] object ScaleRun {

  /** @param cpuMillis of the whole process, its collector among it
    * @param record    bytes written to the log
    * @param plan      bytes that go to each task, on average
    * @param allocated bytes of the heap
    */
  final case class Cost(
      cpuMillis: Double,
      storeMillis: Double,
      requests: Map[String, Long],
      record: Long,
      plan: Long,
      allocated: Long
  ) {
    def +(other: Cost): Cost = Cost(
      cpuMillis + other.cpuMillis,
      storeMillis + other.storeMillis,
      (requests.keySet ++ other.requests.keySet).map { name =>
        name -> (requests.getOrElse(name, 0L) + other.requests.getOrElse(name, 0L))
      }.toMap,
      record + other.record,
      plan + other.plan,
      allocated + other.allocated
    )
  }

  object Cost {

    /** The middle one of each figure; the requests are those of the epoch with the middle record. */
    def median(costs: Vector[Cost]): Cost = {
      def middle[A: Ordering](of: Cost => A): A = costs.map(of).sorted.apply(costs.size / 2)
      costs
        .sortBy(_.record)
        .apply(costs.size / 2)
        .copy(
          cpuMillis = middle(_.cpuMillis),
          storeMillis = middle(_.storeMillis),
          plan = middle(_.plan),
          allocated = middle(_.allocated)
        )
    }
  }

  /** @param all       an epoch that writes to every part
    * @param few       one that writes to ten
    * @param recovery  the start behind a driver that was killed
    * @param heldBytes of the heap by a driver between two epochs
    * @param fewMean   bytes that an epoch of ten parts writes to the log on average
    */
  final case class Figures(all: Cost, few: Cost, recovery: Cost, heldBytes: Long, fewMean: Long)

  private val Few           = 10
  private val DriverThreads = 8 // as in `DriverTools.of`

  /** The bytes that Spark sends for this object. */
  private def serialized(value: AnyRef): Long = {
    var bytes = 0L
    val out   = new ObjectOutputStream(new OutputStream {
      override def write(byte: Int): Unit                                   = bytes += 1
      override def write(from: Array[Byte], offset: Int, length: Int): Unit = bytes += length
    })
    out.writeObject(value)
    out.close()
    bytes
  }

  private def cpuMillis(): Double =
    ManagementFactory.getPlatformMXBean(classOf[OperatingSystemMXBean]).getProcessCpuTime / 1e6

  private def allocatedBytes(): Long =
    ManagementFactory.getPlatformMXBean(classOf[ThreadMXBean]).getCurrentThreadAllocatedBytes

  /** Of what is still in use. */
  private def heapBytes(): Long = {
    System.gc()
    ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
  }
}
