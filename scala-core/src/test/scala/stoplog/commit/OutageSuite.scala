// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.error.{Errors, StoplogException}
import stoplog.log.RecordKind
import stoplog.part.{SpoolFile, Spooled}

/** A storage that does not answer when a run wants to know what it may go on with. */
class OutageSuite extends AnyFunSuite {
  private val outage = Errors.storeWrite("b/part", "no NameNode", new IOException())
  private val retry  = StorageRetry.jittered(tries = 3, baseMillis = 1, _ => ())

  test("a run closes parts in place if the storage recovers within the retries") {
    val world = leftOpen()
    failing(world, times = 2)
    world.driver(other, retry = retry, onRestart = Finish.PublishOpen).begin(1, slots = 1)
    assert(!world.parts.calls.exists(_.startsWith("isolate")))
    assert(world.rows === Vector("row of a"))
  }

  test("a run closes and copies nothing while the storage fails") {
    val world = leftOpen()
    failing(world, times = 3)
    val driver = world.driver(other, retry = retry, onRestart = Finish.PublishOpen)
    val failed = intercept[StoplogException](driver.begin(1, slots = 1))
    assert(failed.getCondition === "STOPLOG_STORE_WRITE")
    assert(world.parts.staged().size === 1)
    assert(world.newest.state.open.size === 1)
    driver.begin(1, slots = 1)
    assert(!world.parts.calls.exists(_.startsWith("isolate")), "a failed look is no reason for a copy")
    assert(world.rows === Vector("row of a"))
  }

  test("a task fails and copies nothing while the storage fails") {
    val world = leftOpen()
    val plan  = world.driver(other).begin(1, slots = 1)
    failing(world, times = 1)
    val failed = intercept[StoplogException](world.task(plan, 0, "a"))
    assert(failed.getCondition === "STOPLOG_STORE_WRITE")
    assert(world.parts.staged().size === 1)
  }

  test("a run without data retries on its next tick") {
    val world  = leftOpen(Rolls.atAge(5000))
    val driver = world.driver(other)
    driver.waitFrom(world.newest.seq)
    world.clock.advance(5000)
    failing(world, times = 1)
    intercept[StoplogException](driver.tick())
    assert(driver.tick())
    assert(world.newest.kind === RecordKind.Roll && world.rows === Vector("row of a"))
  }

  test("a part that failed to close is copied on the next attempt") {
    val world  = new DriverWorld(Rolls.atAge(5000))
    val driver = world.driver()
    val result = world.task(driver.begin(0, slots = 1), 0, "a")
    val beside = Spooled("", Vector(SpoolFile("side", 1, 0)), 1)
    driver.commit(0, Seq(result.copy(open = result.open.map(_.copy(spooled = beside)))))
    world.clock.advance(5000)
    world.parts.lose("t1")
    (1 to 2).foreach(_ => intercept[StoplogException](driver.tick()))
    val asked = world.parts.calls.filter(_.contains("t1 at"))
    assert(asked.map(_.takeWhile(_ != ' ')) === Seq("resume", "takeOver"))
  }

  private def leftOpen(policy: stoplog.rolling.RollingPolicy = Rolls.never): DriverWorld = {
    val world = new DriverWorld(policy)
    world.epoch(world.driver(), 0, "a")
    world
  }

  private def failing(world: DriverWorld, times: Int): Unit = {
    var left = times
    world.parts.onFence = () =>
      if (left > 0) {
        left -= 1
        throw outage
      }
  }
}
