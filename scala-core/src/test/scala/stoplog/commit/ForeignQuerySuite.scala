// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Finish.PublishOpen
import stoplog.commit.Samples._
import stoplog.part.RunId
import stoplog.rolling.RollingPolicy

class ForeignQuerySuite extends AnyFunSuite {

  test("a query that adopts its former sink again writes no epoch twice") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    world.epoch(world.driver(run = other, identity = stranger, onForeign = ForeignQuery.Adopt), 7, "b")
    val back = world.driver(run = stoplog.part.RunId.random(), onForeign = ForeignQuery.Adopt)
    assert(back.begin(0, slots = 1).isCommitted(0))
    back.commit(0, Nil)
    world.epoch(back, 1, "c")
    back.end(Finish.PublishOpen)
    assert(world.rows === Vector("row of a", "row of b", "row of c"))
  }

  test("another query's log is rejected at the first epoch, and adopted on request") {
    val world = new DriverWorld(Rolls.never)
    world.epoch(world.driver(), 0, "a")
    assert(condition(world.driver(run = other, identity = stranger).begin(0, 1)) === "STOPLOG_FOREIGN_QUERY")
    val heir = world.driver(run = other, identity = stranger, onForeign = ForeignQuery.Adopt)
    world.epoch(heir, 1, "a")
    heir.end(PublishOpen)
    assert(world.rows.size === 2)
    assert(world.newest.state.queryId === "query-9")
  }

  test("a query with a new checkpoint is rejected with the row count, even with adopt") {
    for (onForeign <- Seq(ForeignQuery.Refuse, ForeignQuery.Adopt)) {
      val world = written()
      val error = intercept[Exception](
        world.driver(run = other, identity = stranger, onForeign = onForeign).begin(0, 1)
      )
      assert(condition(throw error) === "STOPLOG_FOREIGN_QUERY")
      assert(error.getMessage.contains("epochs 0 to 2, at least 3 rows"))
      world.epoch(
        world.driver(run = RunId.random(), identity = stranger, onForeign = ForeignQuery.Adopt),
        3,
        "b"
      )
    }
  }

  test("adoptAndRepeat is valid for one start, even if the option remains set") {
    val world                         = written()
    def start(identity: SinkIdentity) =
      world.driver(run = RunId.random(), identity = identity, onForeign = ForeignQuery.AdoptAndRepeat)
    def refused(identity: SinkIdentity, batch: Long) = condition(start(identity).begin(batch, slots = 1))
    world.epoch(start(stranger), 0, "b")
    val second = start(stranger)
    assert(second.begin(0, slots = 1).isCommitted(0), "the log is that of the query now")
    second.commit(0, Nil)
    world.epoch(second, 1, "b")
    world.epoch(second, 2, "b")
    assert(refused(stranger, batch = 1) === "STOPLOG_EPOCH_AHEAD")
    assert(refused(stranger.copy(queryId = "query-10"), batch = 0) === "STOPLOG_FOREIGN_QUERY")
    assert(refused(identity, batch = 3) === "STOPLOG_FOREIGN_QUERY", "it counts as fail")
    world.epoch(world.driver(run = RunId.random(), identity = stranger), 3, "b")
    world.epoch(start(stranger), 1, "b") // a start without the value has claimed the log meanwhile
    assert(refused(stranger, batch = 0) === "STOPLOG_EPOCH_AHEAD")
  }

  test("adoptAndRepeat is consumed by the first start that claims the log, even without repeated epochs") {
    val world   = new DriverWorld(Rolls.never)
    def start() = world.driver(run = RunId.random(), onForeign = ForeignQuery.AdoptAndRepeat)
    for (number <- 0L to 2L) world.epoch(start(), number, "a")
    assert(condition(start().begin(0, slots = 1)) === "STOPLOG_EPOCH_AHEAD")
  }

  test("a start with adoptAndRepeat does not claim the log before its first epoch") {
    val world = written(Rolls.atAge(5000))
    world.clock.advance(6000)
    val driver = world.driver(run = other, onForeign = ForeignQuery.AdoptAndRepeat)
    driver.waitFrom(world.newest.seq)
    assert(driver.tick())
    world.epoch(driver, 1, "b")
    assert(world.log.all().map(_.state.lastEpoch.getOrElse(-1L)) === Vector(-1, 0, 1, 2, 0, 1).map(_.toLong))
  }

  private def stranger = identity.copy(queryId = "query-9")

  private def written(policy: RollingPolicy = Rolls.never): DriverWorld = {
    val world  = new DriverWorld(policy)
    val driver = world.driver()
    for (number <- 0L to 2L) world.epoch(driver, number, "a")
    world
  }
}
