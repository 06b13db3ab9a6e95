// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Finish.{KeepOpen, PublishOpen}
import stoplog.commit.Samples._
import stoplog.log.RecordKind
import stoplog.part.RunId

/** The end of a query that has given an epoch up. */
class EndOfQuerySuite extends AnyFunSuite {
  import RecordKind._

  private val young = RunId("33333333-3333-4333-8333-333333333333")

  test("after an aborted epoch, another run closes the parts in place from its claim") {
    val query = new GivenUp
    query.end(PublishOpen)
    assert(query.world.rows === Vector("row of a", "row of b"))
    assert(query.records === Vector(Release -> mine, Claim -> other, Release -> other))
    assert(query.copies === 0)
  }

  test("parts are copied if another writer may be alive") {
    val query = new GivenUp
    query.world.parts.othersAlive = true
    query.end(PublishOpen)
    assert(query.world.rows === Vector("row of a", "row of b"))
    assert(query.copies === 2)
  }

  test("an epoch in flight is aborted first") {
    val query = new Query
    query.world.task(query.driver.begin(1, slots = 1), 0, "a")
    query.end(PublishOpen)
    assert(query.world.rows === Vector("row of a", "row of b"))
    assert(query.records.last === Release -> other)
    assert(query.copies === 0)
  }

  test("parts below the copy limit are copied by the run itself") {
    val length = new GivenUp().world.newest.state.open.map(_.validBytes).max
    for ((copyAtMostBytes, run, copies) <- Seq((length - 1, other, 0), (length, mine, 2))) {
      val query = new GivenUp
      query.end(PublishOpen, copyAtMostBytes)
      assert(query.world.rows === Vector("row of a", "row of b"))
      assert(query.records.last === Release -> run)
      assert(query.copies === copies)
    }
  }

  test("a run ends without a successor if it owns its parts or leaves them open") {
    val own = new Query
    own.end(PublishOpen)
    assert(own.records === Vector(Release -> mine))
    assert(own.world.rows === Vector("row of a", "row of b"))
    val left = new GivenUp
    left.end(KeepOpen)
    assert(left.records === Vector(Release -> mine))
    assert(left.world.newest.state.open.size === 2)
    assert(own.copies + left.copies === 0)
  }

  test("no successor claims the log if the run cannot release its parts") {
    val query = new GivenUp
    query.world.records.beforePut = _ => throw new IOException("the disk is full")
    intercept[Exception](query.end(PublishOpen))
    query.world.records.beforePut = _ => ()
    assert(query.records.isEmpty)
  }

  test("a fenced run has no successor") {
    val query = new GivenUp
    query.world.epoch(query.world.driver(run = young), 1, "c")
    assert(condition(query.end(PublishOpen)) === "STOPLOG_FENCED")
    assert(query.world.newest.run === young)
    assert(query.world.rows.isEmpty)
  }

  test("a run that lost the log reports unfinished parts if finishing was required") {
    for ((finish, isDone) <- Seq(PublishOpen -> false, KeepOpen -> true)) {
      val query = new Query
      query.driver.begin(1, slots = 1)
      query.world.epoch(query.world.driver(run = young), 1, "c")
      assert(condition(query.driver.commit(1, Seq.empty)) === "STOPLOG_FENCED")
      assert(query.end(finish) === isDone)
    }
    val lost = new Query
    lost.driver.begin(1, slots = 1)
    lost.world.epoch(lost.world.driver(run = young), 1, "c")
    intercept[Exception](lost.driver.commit(1, Seq.empty))
    assert(!new EndOfQuery(lost.driver, None).endIfIdle(PublishOpen))
    assert(new Query().end(PublishOpen) && new Query().end(KeepOpen))
  }

  test("a fenced successor leaves the parts to the faster run") {
    val query = new GivenUp
    query.world.records.afterPut =
      seq => if (seq == 2) query.world.epoch(query.world.driver(run = young), 1, "c")
    intercept[Exception](query.end(PublishOpen))
    assert(query.world.newest.run === young)
    assert(query.world.rows.isEmpty)
  }

  /** With two parts open, of one epoch. */
  private class Query {
    val world: DriverWorld = new DriverWorld(Rolls.never)
    val driver: SinkDriver = world.driver()
    world.epoch(driver, 0, "a", "b")

    def end(finish: Finish, copyAtMostBytes: Long = 0): Boolean =
      new EndOfQuery(driver, Some(() => world.driver(run = other)), copyAtMostBytes).end(finish)

    /** Those behind the epoch. */
    def records: Vector[(RecordKind, RunId)] =
      world.log.all().toVector.drop(2).map(record => record.kind -> record.run)

    def copies: Int =
      world.parts.calls.count(call => call.startsWith("isolate") || call.startsWith("takeOver"))
  }

  private final class GivenUp extends Query {
    driver.begin(1, slots = 1)
    driver.abort()
  }
}
