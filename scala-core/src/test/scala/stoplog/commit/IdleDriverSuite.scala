// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.Finish.{KeepOpen, PublishOpen}
import stoplog.log.{BatchDigest, QueryEpoch, RecordKind, SinkState}
import stoplog.part.RunId
import stoplog.rolling.{PartStats, PolicyOfAllParts, RollReason}

class IdleDriverSuite extends AnyFunSuite {

  test("the age of the newest record, which triggers heartbeats, follows the run's clock") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.clock.advance(60000)
    assert(!driver.hasNoRecordFor(60000), "it holds no claim")
    world.epoch(driver, 0, "a")
    world.clock.advance(59999)
    assert(!driver.hasNoRecordFor(60000))
    world.clock.advance(1)
    assert(driver.hasNoRecordFor(60000))
    world.epoch(driver, 1, "a")
    assert(!driver.hasNoRecordFor(60000))
  }

  test("before the first data, the clock closes the previous run's parts, and the run continues") {
    val world = new DriverWorld(Rolls.atAge(1000))
    val first = world.driver()
    world.epoch(first, 0, "a")
    val second = world.driver(run = other)
    second.waitFrom(world.newest.seq)
    assert(second.tick())
    assert(world.newest.run === Samples.mine, "nothing is due")
    world.clock.advance(1000)
    assert(second.tick())
    assert(world.rows === Vector("row of a"))
    assert(world.newest.kind === RecordKind.Roll)
    world.epoch(second, 1, "a")
    second.end(PublishOpen)
    assert(world.rows === Vector("row of a", "row of a"))
  }

  test("before the first data, parts from a fast clock age by the next run's clock") {
    val world = new DriverWorld(Rolls.atAge(1000))
    world.epoch(world.driver(), 0, "a")
    world.clock.step(-3600000)
    val second = world.driver(run = other)
    second.waitFrom(world.newest.seq)
    second.tick()
    assert(world.rows.isEmpty)
    world.clock.advance(1000)
    second.tick()
    assert(world.rows === Vector("row of a"))
  }

  test("a policy of all parts is called once after the record of an epoch, and once by the clock") {
    var calls  = Vector.empty[Seq[(String, Long)]]
    val policy = new PolicyOfAllParts {
      override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason]         = None
      override def onTick(parts: Seq[PartStats], nowMillis: Long): Seq[Option[RollReason]] = {
        calls :+= parts.map(part => part.bucket -> part.records)
        parts.map(part => Option.when(part.bucket == "b" || nowMillis >= 1060000)(RollReason.Custom("mine")))
      }
      override def close(): Unit = ()
    }
    val world  = new DriverWorld(policy)
    val driver = world.driver()
    world.epoch(driver, 0, "a", "b", "a")
    assert(calls.map(_.toSet) === Vector(Set("a" -> 2L, "b" -> 1L)))
    assert(world.rows === Vector("row of b"))
    assert(world.newest.publish.map(_.reason) === Vector(RollReason.Custom("mine")))
    world.epoch(driver, 1, "a")
    assert(calls.last === Seq("a" -> 3L))
    world.clock.advance(60000)
    driver.tick()
    assert(calls.size === 3)
    assert(world.rows.count(_ == "row of a") === 3)
    driver.tick()
    assert(calls.size === 3, "no part is open")
  }

  test("a waiting run is fenced by a reset, and the next run starts") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    val waiting = world.driver(run = other)
    waiting.waitFrom(world.newest.seq)
    world.log.append(
      world.newest.copy(
        seq = world.newest.seq + 1,
        kind = RecordKind.Release,
        publish = Vector.empty,
        state = world.newest.state.copy(newest = QueryEpoch(SinkState.NextQuery, None), open = Vector.empty)
      )
    )
    val refused = intercept[SparkThrowable](waiting.begin(0, slots = 1))
    assert(refused.getCondition === "STOPLOG_FENCED")
    assert(world.driver(run = RunId("000000000003")).begin(0, slots = 1).firstPart === 0)
  }

  test("before the first data, the clock closes nothing if another run has written") {
    val world = new DriverWorld(Rolls.atAge(1000))
    val first = world.driver()
    world.epoch(first, 0, "a")
    val second = world.driver(run = other)
    second.waitFrom(world.newest.seq)
    world.epoch(first, 1, "b")
    world.clock.advance(1000)
    second.tick()
    assert(world.newest.run === Samples.mine)
  }

  test("waitFrom uses the lock, and has no effect once the run holds the claim") {
    val world  = new DriverWorld(Rolls.never)
    val lock   = new world.CountedLock
    val driver = world.driver(lock = lock)
    driver.waitFrom(0)
    assert(lock.taken === 1 && lock.back === 1)
    world.epoch(driver, 0, "a")
    driver.waitFrom(world.newest.seq)
    world.epoch(driver, 1, "a")
    assert(world.log.all().count(_.kind == RecordKind.Claim) === 1)
    assert(lock.taken === 4 && lock.back === 4)
  }

  test("a run that claimed without data rejects a replanned batch") {
    val world                             = new DriverWorld(Rolls.atAge(1000))
    val first                             = world.driver()
    def batches(of: String): BatchDigests = batch => Some(BatchDigest(s"$of-$batch"))
    val plan                              = first.begin(0, slots = 1, batches("theirs"))
    first.commit(0, Seq(world.task(plan, 0, "a")))
    def idle() = {
      val idle = world.driver(run = RunId.random())
      idle.waitFrom(world.newest.seq)
      idle
    }
    val another = idle()
    world.clock.advance(1000)
    another.tick()
    assert(world.newest.kind === RecordKind.Roll)
    assert(condition(another.begin(1, slots = 1, batches("mine"))) === "STOPLOG_EPOCH_REPLANNED")
    another.begin(1, slots = 1, batches("theirs"))
  }

  test("a run without data and with changed settings claims nothing") {
    val world = new DriverWorld(Rolls.atAge(1000))
    world.epoch(world.driver(), 0, "a")
    val idle = world.driver(run = other, settings = settings.copy(fixed = Map("timeZone" -> "Asia/Tokyo")))
    idle.waitFrom(world.newest.seq)
    world.clock.advance(1000)
    assert(condition(idle.tick()) === "STOPLOG_SETTINGS_CHANGED")
    assert(world.newest.run === Samples.mine)
  }

  test("a run without data publishes the open parts of the previous run") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a")
    first.end(KeepOpen)
    val idle = world.driver(run = other)
    idle.waitFrom(world.newest.seq)
    idle.end(PublishOpen)
    assert(world.rows === Vector("row of a"))
    assert(world.newest.run === other)
    assert(!idle.tick())
  }

  test("a run without data writes nothing if nothing is open or another run wrote") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a")
    val seen = world.newest.seq
    world.epoch(first, 1, "a")
    endIdle(world.driver(run = other), seen)
    assert(world.newest.kind === RecordKind.Epoch(1), "whoever writes is alive and is not fenced")
    first.end(PublishOpen)
    val before = world.log.all()
    endIdle(world.driver(run = other), world.newest.seq)
    assert(world.log.all() === before)
  }

  test("ending without an epoch writes nothing") {
    val world = new DriverWorld(Rolls.never)
    world.driver().end(PublishOpen)
    assert(world.log.newest().isEmpty)
  }

  test("a run without data publishes the decided parts of a dead driver") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a")
    world.parts.onPublish = _ => throw new IllegalStateException("the process died")
    intercept[IllegalStateException](first.end(PublishOpen))
    world.parts.onPublish = _ => ()
    assert(world.rows.isEmpty)
    endIdle(world.driver(run = other), world.newest.seq)
    assert(world.rows === Vector("row of a"))
  }

  test("a run without data resumes after its own claim with an unknown outcome") {
    for (act <- Seq[SinkDriver => Any](_.tick(), _.end(PublishOpen))) {
      val world = new DriverWorld(Rolls.atAge(1000))
      world.epoch(world.driver(), 0, "a")
      val idle = world.driver(run = other)
      idle.waitFrom(world.newest.seq)
      world.clock.advance(1000)
      world.records.afterPut = { _ =>
        world.records.afterPut = _ => ()
        world.records.beforeList = { () =>
          world.records.beforeList = () => ()
          throw new IOException("no answer")
        }
      }
      intercept[IOException](idle.tick())
      assert(world.newest.run === other && world.rows.isEmpty)
      act(idle)
      assert(world.rows === Vector("row of a"))
    }
  }

  private def endIdle(driver: SinkDriver, seenSeq: Long): Unit = {
    driver.waitFrom(seenSeq)
    driver.end(PublishOpen)
  }
}
