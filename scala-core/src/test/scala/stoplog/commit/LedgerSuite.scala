// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.rolling.RollReason

/** Who may say that an epoch is committed, when two drivers are at it. */
class LedgerSuite extends AnyFunSuite {
  private val closing = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy

  test("a driver that was overtaken while it published does not say that the epoch is committed") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublish = { _ =>
      world.parts.onPublish = _ => ()
      world.epoch(world.driver(other), 1, "b")
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
    assert(condition(older.begin(1, slots = 1)) === "STOPLOG_FENCED")
  }

  test("nor one whose part has been taken away meanwhile, and that part is not lost") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublish = { path =>
      world.parts.onPublish = _ => ()
      world.epoch(world.driver(other), 1, "b")
      world.parts.take(path)
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of b"))
  }

  test("nor one that has slept between its record and the end, though it published all of it by itself") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublished = { _ =>
      world.parts.onPublished = _ => ()
      world.epoch(world.driver(other), 1, "b")
      world.clock.advance(6000)
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("nor one that was overtaken in less time than anybody takes to notice a silent driver") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublished = { _ =>
      world.parts.onPublished = _ => ()
      world.epoch(world.driver(other), 1, "b")
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("an epoch that is published at once costs no further look at the log") {
    val world  = new DriverWorld(closing)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    val plan  = driver.begin(1, slots = 1)
    val done  = world.task(plan, 0, "a")
    val looks = world.records.listings
    driver.commit(1, Seq(done))
    assert(world.records.listings === looks + 1, "that of the append")
  }
}
