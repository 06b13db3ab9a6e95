// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.Finish.{KeepOpen, PublishOpen}
import stoplog.log.RecordKind
import stoplog.part.{Resume, RunId}
import stoplog.rolling.RollReason

class SinkDriverSuite extends AnyFunSuite {

  test("the first epoch claims the log, each commit adds a record, open parts stay hidden") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.epoch(driver, 1, "a", "b")
    assert(world.log.all().map(_.kind) === Vector(RecordKind.Claim, RecordKind.Epoch(0), RecordKind.Epoch(1)))
    assert(world.parts.finished.isEmpty)
    assert(
      world.newest.state.open.map(part => part.bucket -> part.records).toMap === Map("a" -> 2L, "b" -> 1L)
    )
    assert(driver.stats.open === world.newest.state.open)
    assert(driver.stats.counts.epochs === 2)
  }

  test("closed parts are visible when commit returns, not before") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val driver = world.driver()
    val plan   = driver.begin(0, slots = 2)
    val done   = Seq(world.task(plan, 0, "a"), world.task(plan, 1, "a", "b"))
    assert(world.rows.isEmpty)
    driver.commit(0, done)
    assert(world.rows === Vector("row of a", "row of a", "row of b"))
    assert(driver.stats.published.files === 3)
    assert(driver.stats.published.rows === 3)
    assert(driver.stats.rolled === Map(RollReason.Checkpoint -> 3L))
    assert(driver.stats.pendingParts === 0)
  }

  test("an epoch that starts again before its commit is aborted, and its lock is released") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    driver.begin(1, slots = 1)
    val plan = driver.begin(1, slots = 1)
    assert(plan.handed(0).map(_.owner) === Vector(None), "an attempt of the first try may still be writing")
    driver.commit(1, Seq(world.task(plan, 0, "a")))
    assert(world.newest.state.open.map(_.records) === Vector(2L))
  }

  test("a tick closes and publishes a due idle part without data") {
    val world  = new DriverWorld(Rolls.atAge(5000))
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.clock.advance(4999)
    assert(driver.tick())
    assert(world.newest.kind === RecordKind.Epoch(0))
    world.clock.advance(1)
    assert(driver.tick())
    assert(world.newest.kind === RecordKind.Roll)
    assert(world.newest.state.lastEpoch === Some(0))
    assert(world.rows === Vector("row of a"))
    assert(driver.stats.open.isEmpty)
    assert(driver.stats.rolled === Map(RollReason.Age -> 1L))
    assert(!world.parts.calls.exists(_.startsWith("isolate")), "nobody else can reach this run's own part")
    world.epoch(driver, 1, "a")
    assert(world.newest.state.open.map(_.records) === Vector(1L))
  }

  test("a tick does nothing during an epoch or before the first") {
    val world  = new DriverWorld(Rolls.atAge(5000))
    val driver = world.driver()
    assert(driver.tick())
    assert(world.log.newest().isEmpty)
    world.epoch(driver, 0, "a")
    val plan = driver.begin(1, slots = 1)
    world.clock.advance(10000)
    assert(driver.tick())
    assert(world.newest.kind === RecordKind.Epoch(0))
    driver.commit(1, Seq(world.task(plan, 0)))
    assert(world.newest.publish.map(_.reason) === Vector(RollReason.Age), "the epoch's own record closes it")
  }

  test("an end closes and publishes all parts, or keeps them open for the next run") {
    for ((finish, visible, left) <- Seq((PublishOpen, 2, 0), (KeepOpen, 0, 2))) {
      val world  = new DriverWorld(Rolls.never)
      val driver = world.driver()
      world.epoch(driver, 0, "a", "b")
      driver.end(finish)
      driver.end(finish)
      assert(world.newest.kind === RecordKind.Release)
      assert(world.log.all().count(_.kind == RecordKind.Release) === 1)
      assert(world.rows.size === visible)
      assert(world.newest.state.open.size === left)
      assert(world.newest.publish.forall(_.reason == RollReason.End))
      assert(!driver.tick(), "nothing is left to tick for")
    }
  }

  test("an end during an epoch aborts the epoch and publishes committed rows from isolated copies") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    val plan = driver.begin(1, slots = 1)
    world.task(plan, 0, "a")
    driver.end(PublishOpen)
    assert(world.rows === Vector("row of a"))
    assert(world.parts.calls.count(_.startsWith("isolate")) === 1)
  }

  test("the next run resumes parts in place if all other writers ended, otherwise on copies") {
    for (alive <- Seq(false, true)) {
      val world = new DriverWorld(Rolls.never)
      world.epoch(world.driver(), 0, "a")
      world.parts.othersAlive = alive
      val next = world.driver(run = other)
      world.epoch(next, 1, "a")
      assert(world.parts.calls.exists(_.startsWith("takeOver")) === alive)
      assert(world.parts.calls.exists(_.startsWith("resume")) === !alive)
      next.end(PublishOpen)
      assert(world.rows.size === 2)
    }
  }

  test("each claim records the store's new handles and passes them to the tasks") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    world.parts.onClaim = open => Resume(s"${open.token}'")
    for ((claims, run) <- Seq(1 -> other, 2 -> RunId.random())) {
      val plan = world.driver(run = run).begin(1, slots = 1)
      assert(world.newest.kind === RecordKind.Claim)
      assert(world.newest.state.open.map(_.handle.token) === Vector("t1" + "'" * claims))
      assert(plan.handed(0).map(_.handle) === world.newest.state.open.map(_.handle))
    }
  }

  test("an epoch already in the log is a no-op and keeps its open parts") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    val next = world.driver(run = other)
    val plan = next.begin(0, slots = 1)
    assert(plan.isCommitted(0))
    next.commit(0, Seq.empty)
    assert(world.newest.kind === RecordKind.Claim)
    world.epoch(next, 1, "a")
    next.end(PublishOpen)
    assert(world.rows.size === 2)
  }

  test("an epoch out of order is rejected by name, and the lock is released") {
    val world  = new DriverWorld(Rolls.never)
    val lock   = new world.CountedLock
    val driver = world.driver(lock = lock)
    world.epoch(driver, 0, "a")
    assert(condition(driver.begin(2, slots = 1)) === "STOPLOG_EPOCH_GAP")
    world.epoch(driver, 1, "a")
    world.epoch(driver, 2, "a")
    assert(condition(driver.begin(0, slots = 1)) === "STOPLOG_EPOCH_AHEAD")
    assert(lock.taken === lock.back)
  }

  test("a change of content closes the open parts and starts new parts") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a")
    first.end(KeepOpen)
    val next = world.driver(run = other, settings = settings.copy(content = "json"))
    val plan = next.begin(1, slots = 1)
    assert(plan.handed.isEmpty)
    assert(world.newest.kind === RecordKind.Roll)
    assert(world.newest.publish.map(_.reason) === Vector(RollReason.Custom("contentChanged")))
    assert(world.rows === Vector("row of a"))
    next.commit(1, Seq(world.task(plan, 0, "a")))
    assert(world.newest.state.settings("content") === "json")
    assert(world.newest.state.open.map(_.records) === Vector(1L))
  }

  test("an additional setting with unchanged content closes nothing and is recorded") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    val more = SinkSettings(settings.fixed + ("calendar" -> "iso"), settings.content)
    world.epoch(world.driver(run = other, settings = more), 1, "a")
    assert(world.newest.state.settings - "sink" - "identity" === more.toMap)
    assert(world.newest.state.open.map(_.records) === Vector(2L))
  }

  test("a fenced driver publishes nothing, fails each time and stops ticking") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val lock   = new world.CountedLock
    val driver = world.driver(lock = lock)
    val plan   = driver.begin(0, slots = 1)
    val done   = Seq(world.task(plan, 0, "a"))
    val heir   = world.driver(run = other)
    heir.begin(0, slots = 1)
    assert(condition(driver.commit(0, done)) === "STOPLOG_FENCED")
    driver.abort()
    assert(condition(driver.begin(0, slots = 1)) === "STOPLOG_FENCED")
    assert(!driver.tick())
    driver.end(PublishOpen)
    assert(world.parts.finished.isEmpty)
    assert(world.newest.run === other)
    assert(lock.taken === lock.back)
  }

  test("a driver fenced between epochs closes nothing on its next tick") {
    val world  = new DriverWorld(Rolls.atAge(10))
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.driver(run = other).begin(0, slots = 1)
    world.clock.advance(10)
    assert(condition(driver.tick()) === "STOPLOG_FENCED")
    assert(!driver.tick())
    assert(world.parts.finished.isEmpty)
  }

  test("a failed commit followed by an abort releases the lock once") {
    val world  = new DriverWorld(Rolls.never)
    val lock   = new world.CountedLock
    val driver = world.driver(lock = lock)
    val plan   = driver.begin(0, slots = 1)
    world.records.beforePut = _ => throw new IOException("disk full")
    intercept[IOException](driver.commit(0, Seq(world.task(plan, 0, "a"))))
    driver.abort()
    driver.abort()
    assert((lock.taken, lock.back) === ((1, 1)))
    intercept[IOException](
      driver.begin(0, slots = 1)
    ) // whether the record is there nobody knows: a new run reads it
    assert((lock.taken, lock.back) === ((2, 2)))
    driver.end(PublishOpen)
    assert((lock.taken, lock.back) === ((3, 3)))
  }

  test("a record that exists despite a failed write commits the epoch") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val driver = world.driver()
    val plan   = driver.begin(0, slots = 1)
    world.records.afterPut = _ => throw new IOException("connection lost")
    driver.commit(0, Seq(world.task(plan, 0, "a")))
    assert(world.rows === Vector("row of a"))
  }

  test("failed publishing keeps the record, and the next epoch first publishes the remaining parts") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val lock   = new world.CountedLock
    val driver = world.driver(lock = lock)
    val plan   = driver.begin(0, slots = 1)
    world.parts.onPublish = path => throw stoplog.error.Errors.storeWrite(path, "503", new IOException("503"))
    assert(condition(driver.commit(0, Seq(world.task(plan, 0, "a")))) === "STOPLOG_STORE_WRITE")
    driver.abort()
    assert(world.newest.kind === RecordKind.Epoch(0))
    assert(driver.stats.pendingParts === 1)
    assert(condition(driver.begin(1, slots = 1)) === "STOPLOG_STORE_WRITE")
    world.parts.onPublish = _ => ()
    world.epoch(driver, 1)
    assert(world.rows === Vector("row of a"))
    assert(lock.taken === lock.back)
  }

  test("after an abort, every open part counts as written by another writer") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    driver.begin(1, slots = 1)
    driver.abort()
    val plan = driver.begin(1, slots = 1)
    assert(plan.handed(0).map(_.owner) === Vector(None))
    driver.commit(1, Seq(world.task(plan, 0, "a")))
    assert(world.newest.state.open.map(_.owner) === Vector(Some(mine)), "the copy is this run's own again")
    driver.end(PublishOpen)
    assert(world.rows.size === 2)
  }

  test("the claim sweeps files without a record once older than the grace time") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a")
    world.task(first.begin(1, slots = 1), 0, "b")
    val orphan = "t2"
    world.parts.modifiedAtMillis = world.clock.millis() - OrphanCleaner.GraceMillis
    world.driver(run = other).begin(1, slots = 1)
    assert(world.parts.staged().map(_.token).contains(orphan), "not yet: it may still be written")
    world.parts.modifiedAtMillis -= 1
    world.driver(run = stoplog.part.RunId.random()).begin(1, slots = 1)
    assert(world.parts.staged().map(_.token) === Vector("t1"))
  }

  test("a long run sweeps every hour, but never during an epoch") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.task(driver.begin(1, slots = 1), 0, "b")
    world.clock.advance(3600000)
    driver.tick()
    assert(world.parts.staged().size === 2)
    driver.abort()
    driver.tick()
    assert(world.parts.staged().map(_.token) === Vector("t1"))
  }

  test("files of a recorded part are not swept, regardless of their names") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    val part = world.newest.state.open.head
    val tail = world.parts.create(stoplog.storage.NewPart("a", "tail", Samples.mine)).finish()
    val left = world.parts.create(stoplog.storage.NewPart("a", "left", Samples.mine)).finish()
    world.parts.consistsOf = Map(part.handle.token -> Set(part.handle.token, tail.token))
    world.clock.advance(2 * 60 * 60 * 1000L)
    world.parts.forgetCalls()
    driver.tick()
    assert(world.parts.calls.filter(_.startsWith("discard")) === Seq(s"discard ${left.token}"))
  }

  test("a fenced driver sweeps nothing") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    val heir = world.driver(run = other)
    world.task(heir.begin(1, slots = 1), 0, "b")
    world.clock.advance(3600000)
    driver.tick()
    assert(world.parts.staged().size === 2)
  }

  test("the log keeps between 100 and 110 records over a long run") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val driver = world.driver()
    (0L until 150L).foreach(world.epoch(driver, _, "a"))
    assert(world.records.list() === (50L to 150L).toVector)
    assert(world.rows.size === 150)
  }

  test("forty epochs leave fewer than sixty log files and a bounded number of marks") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val driver = world.driver()
    def marks  = world.records.list().count(world.records.isPublished)
    for (number <- 0L until 40L) {
      world.epoch(driver, number, "a")
      assert(marks <= 15 && world.records.isPublished(number + 1))
    }
    assert(world.records.list().size + marks < 60)
  }

  test("part numbers are never reused, regardless of the number of tasks") {
    val world  = new DriverWorld(Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy)
    val driver = world.driver()
    for ((slots, epoch) <- Seq(3, 1, 4, 2, 2).zipWithIndex) {
      val plan = driver.begin(epoch.toLong, slots)
      driver.commit(
        epoch.toLong,
        (0 until slots).map(slot => world.task(plan, slot, (0 to slot).map(n => s"b$n"): _*))
      )
    }
    val names = world.parts.finished.keys.map(_.split('/').last).toVector
    assert(names.distinct.size === names.size)
    assert(names.size === 6 + 1 + 10 + 3 + 3)
  }
}
