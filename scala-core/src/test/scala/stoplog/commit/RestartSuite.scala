// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.Finish.{KeepOpen, PublishOpen}
import stoplog.log.RecordKind
import stoplog.rolling.RollReason

/** What a run does with the parts that an earlier one has left open. */
class RestartSuite extends AnyFunSuite {

  test("a finishing run publishes open parts in a single record before its first epoch") {
    val world = leftOpen()
    val plan  = finishing(world).begin(1, slots = 2)
    assert(plan.handed.isEmpty)
    assert(world.log.all().takeRight(2).map(_.kind) === Vector(RecordKind.Claim, RecordKind.Roll))
    assert(world.newest.publish.map(part => part.bucket -> part.records) === Vector("a" -> 1L, "b" -> 1L))
    assert(world.newest.publish.map(_.reason).distinct === Vector(RollReason.Custom("restart")))
    assert(world.newest.state.open.isEmpty)
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("parts from a fast clock stay open, and age from the next run's claim") {
    val world = new DriverWorld(Rolls.atAge(1000))
    world.epoch(world.driver(), 0, "a")
    world.clock.step(-3600000)
    val next = world.driver(other)
    next.begin(1, slots = 1)
    next.abort()
    world.clock.advance(999)
    next.tick()
    assert(world.rows.isEmpty)
    world.clock.advance(1)
    next.tick()
    assert(world.rows === Vector("row of a"))
  }

  test("rows that a dead attempt wrote after the committed rows are not published") {
    val world = leftOpen()
    val dying = world.driver()
    world.task(dying.begin(1, slots = 1), 0, "a")
    finishing(world).begin(1, slots = 1)
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("a finishing run keeps its own parts open across epochs, including an aborted epoch") {
    val world  = leftOpen()
    val driver = finishing(world)
    world.epoch(driver, 1, "a")
    driver.begin(2, slots = 1)
    driver.abort()
    world.epoch(driver, 2, "a")
    assert(world.newest.state.open.map(_.records) === Vector(2L))
    assert(world.log.all().count(_.kind == RecordKind.Roll) === 1)
  }

  test("by default, a run resumes open parts and closes none") {
    val world = leftOpen()
    val plan  = world.driver(run = other).begin(1, slots = 1)
    assert(plan.handed.valuesIterator.flatten.map(_.bucket).toSet === Set("a", "b"))
    assert(world.newest.kind === RecordKind.Claim)
  }

  test("a finishing run without open parts writes no extra record") {
    val world = new DriverWorld(Rolls.never)
    world.driver().end(PublishOpen)
    finishing(world).begin(0, slots = 1)
    assert(world.log.all().map(_.kind) === Vector(RecordKind.Claim))
  }

  test("a finishing run without data closes parts at the first tick, unless another run wrote") {
    val world = leftOpen()
    val idle  = finishing(world)
    idle.waitFrom(world.newest.seq)
    assert(idle.tick())
    assert(world.rows === Vector("row of a", "row of b"))
    val records = world.log.all().size
    assert(idle.tick())
    assert(world.log.all().size === records)

    val alive = leftOpen()
    val late  = finishing(alive)
    late.waitFrom(alive.newest.seq - 1)
    assert(late.tick())
    assert(alive.newest.run === mine && alive.rows.isEmpty)
  }

  test("a run without data that keeps parts open leaves them to the next start") {
    val world = leftOpen()
    val idle  = finishing(world)
    idle.waitFrom(world.newest.seq)
    idle.end(KeepOpen)
    assert(world.newest.run === mine && world.rows.isEmpty)
  }

  test("parts that failed to close are finished before the next epoch") {
    val world = leftOpen()
    val idle  = finishing(world)
    failedOnce(world, idle)
    val plan = idle.begin(1, slots = 1)
    assert(plan.handed.isEmpty)
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("parts with old content that failed to close receive no new rows") {
    val world = leftOpen()
    val idle  = world.driver(run = other, settings = settings.copy(content = "json"), onRestart = KeepOpen)
    world.clock.advance(PartToClose)
    failedOnce(world, idle)
    val plan = idle.begin(1, slots = 1)
    assert(plan.handed.isEmpty)
    assert(world.newest.state.settings("content") === "json")
  }

  test("changed content takes precedence as the reason for closing") {
    val world = leftOpen()
    val other = settings.copy(content = "json")
    world.driver(run = Samples.other, settings = other, onRestart = PublishOpen).begin(1, slots = 1)
    assert(world.newest.publish.map(_.reason).distinct === Vector(SinkSettings.ContentChanged))
  }

  private val PartToClose = 5000L

  /** Two buckets with a row each, in parts that are open. */
  private def leftOpen(): DriverWorld = {
    val world = new DriverWorld(Rolls.atAge(PartToClose))
    world.epoch(world.driver(), 0, "a", "b")
    world
  }

  private def finishing(world: DriverWorld): SinkDriver = world.driver(run = other, onRestart = PublishOpen)

  /** The storage lets the run claim the log, and close no part. */
  private def failedOnce(world: DriverWorld, idle: SinkDriver): Unit = {
    idle.waitFrom(world.newest.seq)
    world.parts.onClose = _ => throw new IOException("no answer")
    intercept[IOException](idle.tick())
    world.parts.onClose = _ => ()
    assert(world.newest.kind === RecordKind.Claim)
  }
}
