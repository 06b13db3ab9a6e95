// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Finish.PublishOpen
import stoplog.commit.Samples._

/** P-49: when a run looks for the writers of parts that an earlier run has left open. */
class EarlierRunsSuite extends AnyFunSuite {

  test("a start looks for the writers of no part, and each part is looked for before its first row") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a", "b")
    var looks = 0
    world.parts.onFence = () => looks += 1
    val next = world.driver(run = other)
    val plan = next.begin(1, slots = 1)
    assert(looks === 0)
    next.commit(1, Seq(world.task(plan, 0, "a")))
    assert(looks === 1)
    val owners = world.newest.state.open.map(part => part.bucket -> part.owner).toMap
    assert(owners === Map("a" -> Some(other), "b" -> Some(mine)), "nobody has needed b")
    next.end(PublishOpen)
    assert(looks === 2 && !world.parts.calls.exists(_.startsWith("isolate")))
  }

  test("doubts of an earlier run end with the claim of the next run") {
    val world = new DriverWorld(Rolls.never)
    val first = world.driver()
    world.epoch(first, 0, "a", "b")
    first.begin(1, slots = 1)
    first.abort()
    world.epoch(first, 1, "a")
    assert(world.newest.state.open.map(_.owner).toSet === Set(Some(mine), None))
    val next = world.driver(run = other)
    world.epoch(next, 2, "b")
    assert(world.parts.calls.count(_.startsWith("takeOver")) === 1, "the copy of the first run")
    assert(world.newest.state.open.map(_.owner).toSet === Set(Some(mine), Some(other)))
  }

  test("a driver that finds a newer run before it closes an earlier run's part is fenced") {
    val world = new DriverWorld(Rolls.atAge(1000))
    world.epoch(world.driver(), 0, "a")
    val driver = world.driver(run = other)
    world.epoch(driver, 1, "b")
    world.driver(run = stoplog.part.RunId.random()).begin(2, slots = 1)
    world.clock.advance(1000)
    assert(condition(driver.tick()) === "STOPLOG_FENCED")
    assert(!driver.tick())
    assert(driver.stats.counts.fencedRuns === 1)
  }
}
