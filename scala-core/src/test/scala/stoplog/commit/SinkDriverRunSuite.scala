// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._

/** What a run counts, notes and cleans up, and how it ends. */
class SinkDriverRunSuite extends AnyFunSuite {

  test("a run sweeps staged files once an hour, not on each tick") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    world.clock.advance(3600000)
    driver.tick()
    val orphan = world.parts.create(stoplog.storage.NewPart("a", "left", Samples.mine)).finish().token
    def left   = world.parts.staged().map(_.token).contains(orphan)
    world.clock.advance(3599999)
    driver.tick()
    assert(left)
    world.clock.advance(1)
    driver.tick()
    assert(!left)
  }

  test("statistics count epochs, rejected rows and parts, and measure the time of each step") {
    val world  = new DriverWorld(Rolls.atAge(1000))
    val driver = world.driver()
    val plan   = driver.begin(0, slots = 1)
    driver.commit(0, Seq(world.task(plan, 0, "a").copy(rejectedRows = 3)))
    world.parts.onPublish = _ => world.clock.advance(7)
    world.records.beforePut = _ => world.clock.advance(5)
    world.clock.advance(1000)
    driver.tick()
    val stats = driver.stats
    assert(
      (stats.counts.epochs, stats.counts.rejectedRows, stats.published.files, stats.pendingParts) === ((
        1L,
        3L,
        1L,
        0
      ))
    )
    assert((stats.lastRecord.recordMillis, stats.lastRecord.publishMillis) === ((5L, 7L)))
    assert(stats.open.isEmpty)
    world.records.beforePut = _ => ()
    world.epoch(driver, 1, "a")
    assert(driver.stats.lastRecord.publishMillis === 7, "a record without parts publishes nothing")
    val next = world.driver(run = other)
    next.begin(2, slots = 1)
    assert(next.stats.open.map(_.bucket) === Vector("a"))
  }

  test("the claim records settings for later runs") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    world.driver(run = other, settings = settings.noting(Map("driver" -> "here"))).begin(1, slots = 1)
    assert(world.newest.state.settings("driver") === "here")
  }

  test("a rejected run stays rejected, although the log has changed") {
    val world    = new DriverWorld(Rolls.never)
    val stranger = identity.copy(queryId = "query-2")
    world.epoch(world.driver(), 0, "a")
    val refused = world.driver(run = other, identity = stranger)
    assert(condition(refused.begin(0, slots = 1)) === "STOPLOG_FOREIGN_QUERY")
    world.records.delete(world.records.list())
    assert(condition(refused.begin(0, slots = 1)) === "STOPLOG_FOREIGN_QUERY")
    assert(!refused.tick())
  }

  test("an end during an epoch is ignored, and an end between epochs ends the run") {
    val world  = new DriverWorld(Rolls.never)
    val driver = world.driver()
    val plan   = driver.begin(0, slots = 1)
    driver.endIfIdle(Finish.PublishOpen)
    driver.commit(0, Seq(world.task(plan, 0, "a")))
    assert(world.rows.isEmpty)
    driver.endIfIdle(Finish.PublishOpen)
    assert(world.rows === Vector("row of a") && !driver.tick())
  }
}
