// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.RecordKind
import stoplog.plan.{Attempt, EpochPlan, TaskPlans}
import stoplog.rolling.{DefaultRollingPolicy, RollingPolicy}
import stoplog.storage.FileInfo
import stoplog.thread.Stopwatch
import stoplog.writing.TaskWriters

/** Clocks that are set, and clocks of two processes that differ. */
class ClockSuite extends AnyFunSuite {
  private val Hour   = 60 * 60 * 1000L
  private val Minute = 60 * 1000L
  private val usual  = DefaultRollingPolicy()

  test("measures an interval by elapsed time, regardless of clock changes") {
    val clock = new ManualClock(1000)
    val watch = new Stopwatch(clock)
    clock.advance(5)
    clock.step(-Hour)
    assert((watch.millis, watch.longestMillis) === ((5, 5)))
    clock.step(2 * Hour)
    assert((watch.millis, watch.longestMillis) === ((5, Hour + 5)))
  }

  test("closes an idle part although the driver's clock is set back by an hour") {
    val world  = new DriverWorld(usual)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.clock.step(-Hour)
    driver.tick()
    assert(world.rows.isEmpty)
    world.clock.advance(5 * Minute)
    driver.tick()
    assert(world.rows === Vector("row of a"))
  }

  test("marks an idle bucket although the driver's clock is set back by an hour") {
    val notes  = new MemoryNotes
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(stoplog.rolling.RollReason.Checkpoint)).policy)
    val rule   = CompleteRule.ByIdleness(5 * Minute)
    val driver = world.driver(followUps = MemoryNotes.unasked.copy(rule = rule, notes = notes))
    world.epoch(driver, 0, "a")
    world.clock.step(-Hour)
    driver.tick()
    world.clock.advance(5 * Minute)
    driver.tick()
    assert(world.newest.follow.markers.map(_.bucket) === Vector("a"))
  }

  test("a heartbeat is due although the driver's clock is set back by an hour") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.clock.step(-Hour)
    world.clock.advance(Minute)
    assert(driver.hasNoRecordFor(Minute))
  }

  for (off <- Seq(-10 * Minute, -Hour, 10 * Minute, Hour))
    test(s"keeps a part open across epochs although the task's clock is off by ${off / Minute} minutes") {
      val world  = new DriverWorld(usual)
      val driver = world.driver()
      for (batch <- 0L until 10L) {
        val plan = driver.begin(batch, slots = 1)
        world.clock.advance(1000)
        driver.commit(batch, Seq(late(world, plan, off)))
        driver.tick()
      }
      assert(world.rows.isEmpty, "no file with each epoch")
      val part = world.newest.state.open.head
      assert(part.records === 10)
      assert(part.openedAtMillis >= 1000000 && part.openedAtMillis <= 1001000, "in its epoch")
      assert(part.lastWrittenAtMillis >= world.clock.millis() - 1000, "not before its epoch began")
      world.clock.advance(5 * Minute)
      driver.tick()
      assert(world.rows.size === 10)
    }

  test("closes an old part within its epoch although the task's clock is an hour slow") {
    val world  = new DriverWorld(usual)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.clock.advance(4 * Minute)
    val plan = driver.begin(1, slots = 1)
    driver.commit(1, Seq(late(world, plan, -Hour)))
    assert(world.rows.isEmpty)
    world.clock.advance(11 * Minute)
    val next = driver.begin(2, slots = 1)
    driver.commit(2, Seq(late(world, next, -Hour)))
    assert(world.newest.kind === RecordKind.Epoch(2))
    assert(world.newest.state.open.isEmpty, "15 minutes old")
  }

  test("keeps manifests although the clock of a run is 40 days ahead") {
    val day  = 24 * Hour
    val list = (seq: Long, atMillis: Long) =>
      FileInfo(s"_stoplog/main/manifests/$seq.manifest", FileInfo.File(1), Some(atMillis))
    val lists = (0L to 40L).map(seq => list(seq, seq * day)).toVector
    def deletedBy(clock: ManualClock, afterMillis: Long = 0): Int = {
      val notes     = new ListedNotes(lists)
      val manifests = Manifests.Json(None, Some(30 * day))
      val retention =
        new ManifestRetention(MemoryNotes.unasked.copy(manifests = manifests, notes = notes), clock)
      retention.deleteOld()
      clock.advance(afterMillis)
      if (afterMillis > 0) retention.deleteOld()
      notes.deleted.distinct.size
    }
    assert(
      deletedBy(new ManualClock(41 * day)) === 10,
      "those that are more than 30 days older than the newest"
    )
    assert(deletedBy(new ManualClock(81 * day)) === 10, "40 days ahead")
    assert(deletedBy(new ManualClock(35 * day)) === 5, "behind")
    assert(deletedBy(new ManualClock(41 * day), afterMillis = 3 * day) === 13)
    assert(deletedBy(new ManualClock(41 * day), afterMillis = 400 * day) === 31, "the newest ten stay")
  }

  /** One row of a task whose clock is off. */
  private def late(world: DriverWorld, plan: EpochPlan, offMillis: Long, policy: RollingPolicy = usual) = {
    val clock  = new ManualClock(world.clock.millis() + offMillis)
    val mine   = TaskPlans.of(plan).forTaskAt(0, Attempt.First, clock.millis())
    val writer = TaskWriters.of(mine, world.parts, Lines, policy, clock, world.spoolFiles)
    writer.write("a", "row of a")
    writer.commit()
  }

  private final class ListedNotes(lists: Vector[FileInfo]) extends MemoryNotes {
    var deleted = Vector.empty[String]

    override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
      lists.filterNot(list => deleted.contains(list.path)).foreach(each)

    override def delete(paths: Seq[String]): Unit = deleted ++= paths
  }
}
