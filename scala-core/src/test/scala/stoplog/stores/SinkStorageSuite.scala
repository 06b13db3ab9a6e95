// SPDX-License-Identifier: Apache-2.0
package stoplog.stores

import java.nio.file.{Files, Path}

import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit._
import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.part.{PartNaming, RunId}
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.{DefaultRollingPolicy, OnCheckpointRollingPolicy, RollReason, RollingPolicy}
import stoplog.storage.Durability
import stoplog.storage.hadoop.HadoopDefaults
import stoplog.storage.local.LocalUnderTest
import stoplog.thread.Parallel
import stoplog.writing.{SpoolWriter, TaskWriter}

/** A path that is another place for a while: for the driver and its tasks together, or for one of them alone (I7). */
class SinkStorageSuite extends AnyFunSuite {
  import SinkStorageSuite._

  private val policies: Seq[(String, RollingPolicy)] = Seq(
    "each epoch's end"        -> OnCheckpointRollingPolicy(),
    "the usual rules"         -> DefaultRollingPolicy(),
    "never"                   -> Rolls.never,
    "each row"                -> Rolls(beforeRow = _ => Some(RollReason.Size)).policy,
    "age"                     -> Rolls.atAge(1),
    "each epoch, if not idle" -> Rolls(onEpochEnd =
      part => Option.when(part.records > 1)(RollReason.Size)
    ).policy
  )

  for {
    (name, policy) <- policies
    awayAt         <- 1 to 2
    restarted      <- Seq(true, false)
  }
    test(
      s"loses no row with the disk unmounted at epoch $awayAt, parts closing by $name, restarted: $restarted"
    ) {
      within(policy) { (disk, world) =>
        val first = world.driver()
        for (epoch <- 0 until awayAt) world.epoch(first, epoch.toLong)
        disk.unmount()
        val errors = Try(world.epoch(first, awayAt.toLong)).failed.toOption.toVector ++
          Option.when(restarted)(Try(world.epoch(world.driver(), awayAt.toLong)).failed.toOption).flatten
        disk.mount()
        assert(errors.size === (if (restarted) 2 else 1), "each epoch without the disk fails")
        errors.foreach(error => assert(Named(condition(error)), error))
        val second = world.driver()
        for (epoch <- awayAt to awayAt + 1) world.epoch(second, epoch.toLong)
        second.end(Finish.PublishOpen)
        assert(world.rows === (0 to awayAt + 1).map(epoch => s"row $epoch"))
      }
    }

  test("rejects a task that does not see the record of its plan") {
    within(DefaultRollingPolicy()) { (disk, world) =>
      val driver = world.driver()
      world.epoch(driver, 0)
      val elsewhere = world.onAnotherHost
      val refused   = intercept[StoplogException](elsewhere.epoch(driver, 1))
      assert(refused.getCondition === "STOPLOG_PLACE_CHANGED", "both are on one host here")
      driver.abort()
      world.epoch(driver, 1)
      driver.end(Finish.PublishOpen)
      assert(world.rows === Seq("row 0", "row 1"))
      assert(elsewhere.rows.isEmpty && disk.isThere)
    }
  }

  for ((name, policy) <- policies)
    test(s"does not commit rows written on a host without the disk: parts close by $name") {
      within(policy) { (disk, world) =>
        val driver = world.driver()
        world.epoch(driver, 0)
        val plan      = driver.begin(1, slots = 1)
        val elsewhere = world.onAnotherHost
        val result    = elsewhere.task(plan, "other", "row 1", mayStart = () => ()) // it has looked before
        val refused   = Try(driver.commit(1, Seq(result))).failed.toOption.map(condition)
        assert(refused === Some("STOPLOG_PATH_NOT_SHARED"))
        world.epoch(world.driver(), 1)
        assert(disk.isThere)
      }
    }

  test("a job with tasks on another host's disk commits nothing and keeps old rows") {
    within() { (_, world) =>
      val driver = world.driver()
      world.epoch(driver, 0)
      driver.end(Finish.PublishOpen)
      for (replacing <- Seq(JobCommit.Replacing.Nothing, JobCommit.Replacing.Everything)) {
        val job  = world.job(s"batch-$replacing")
        val plan = job.begin(slots = 1)
        val late = world.onAnotherHost.jobTask(s"batch-$replacing", plan)
        assert(Try(late.write("b", "row")).failed.toOption.map(condition) === Some("STOPLOG_PLACE_CHANGED"))
        val blind =
          world.onAnotherHost.task(plan, "b", "row", mayStart = () => (), asJob = Some(s"batch-$replacing"))
        val refused = Try(job.commit(Seq(blind), replacing)).failed.toOption.map(condition)
        assert(refused === Some("STOPLOG_PATH_NOT_SHARED"))
        job.abort()
        assert(world.rows === Seq("row 0"))
      }
    }
  }

  private def condition(error: Throwable): String = error match {
    case named: StoplogException => named.getCondition
    case other                   => s"$other"
  }
}

object SinkStorageSuite {
  private val Named =
    Set("STOPLOG_PLACE_CHANGED", "STOPLOG_LOG_GAP", "STOPLOG_EPOCH_GAP", "STOPLOG_PART_SHORT",
      "STOPLOG_PATH_NOT_SHARED")

  private def within(
      policy: RollingPolicy = OnCheckpointRollingPolicy()
  )(body: (Disk, World) => Unit): Unit = {
    val base = Files.createTempDirectory("stoplog-place")
    try {
      val root = Files.createDirectory(base.resolve("out"))
      body(new Disk(root), new World(root, policy))
    } finally LocalUnderTest.remove(base)
  }

  /** The disk of a path, which leaves an empty mount point behind while it is away. */
  final class Disk(root: Path) {
    private val (disk, under) = (root.resolveSibling("disk"), root.resolveSibling("under"))
    private var mounted       = true

    def isThere: Boolean = mounted

    def unmount(): Unit = {
      Files.move(root, disk)
      if (Files.exists(under)) Files.move(under, root) else Files.createDirectory(root)
      mounted = false
    }

    def mount(): Unit = {
      Files.move(root, under)
      Files.move(disk, root)
      mounted = true
    }
  }

  /** Drivers and tasks that write to a path. */
  final class World(root: Path, policy: RollingPolicy = OnCheckpointRollingPolicy()) {
    private val storage =
      SinkStorage.plain(root.toString, "main", Durability.Process, HadoopDefaults.configuration())
    private val clock = new ManualClock(System.currentTimeMillis())

    /** The same path on a host that has a disk of its own there. */
    def onAnotherHost: World = new World(Files.createTempDirectory(root.getParent, "host"), policy)

    def driver(): SinkDriver = SinkDriver.ofParts(
      RunId.random(),
      SinkIdentity(root.toString, "main", "query"),
      SinkSettings(Map("timeZone" -> "UTC"), "lines"),
      storage,
      () => Lines,
      DriverRules(policy, FollowUps.none("main", storage.files), ForeignQuery.Refuse, LostPart.Fail),
      tools
    )

    def epoch(driver: SinkDriver, number: Long): Unit = {
      val plan = driver.begin(number, slots = 1)
      try
        driver.commit(number, Seq(task(plan, "b", s"row $number", () => storage.refuseIfOvertaken(plan.seq))))
      catch { case e: Throwable => driver.abort(); throw e }
    }

    def task(
        plan: EpochPlan,
        bucket: String,
        row: String,
        mayStart: () => Unit,
        asJob: Option[String] = None
    ): TaskResult = {
      val own    = asJob.fold(storage)(storage.as)
      val lease  = own.parts.enter(plan.run) // of a task that began before
      val writer = writerOf(own, plan, mayStart)
      try {
        writer.write(bucket, row)
        writer.commit()
      } finally {
        writer.close()
        lease.close()
      }
    }

    def job(name: String): JobCommit = {
      val own = storage.as(name)
      new JobCommit(
        RunId.random(),
        SinkIdentity(root.toString, name, name),
        own,
        own.job,
        own,
        tools,
        JobCommit.Rules(FollowUps.none(name, own.files))
      )
    }

    def jobTask(name: String, plan: EpochPlan): TaskWriter[String] =
      writerOf(storage.as(name), plan, () => ())

    def rows: Seq[String] = LocalUnderTest
      .visible(root)
      .toVector
      .flatMap(file => Files.readString(root.resolve(file)).linesIterator)
      .filter(_ != "#")
      .sorted

    private def writerOf(own: SinkStorage, plan: EpochPlan, mayStart: () => Unit): TaskWriter[String] =
      new TaskWriter[String](
        plan.forTask(0, Attempt.First),
        own.parts,
        new SpoolWriter(own.spoolFiles, Faults.none),
        Lines,
        TaskWriter.Rules(policy, PartNaming("part", ".txt"), 100, _ => (), mayStart),
        TaskWriter.Tools(clock, Faults.none)
      )

    private def tools: DriverTools =
      DriverTools(clock, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
  }
}
