// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.kafka.client.OpenTransaction
import stoplog.thread.StopSignal

class CommitGraceSuite extends AnyFunSuite {
  private val open = OpenTransaction("stoplog-1", 1, 0, begunAtMillis = 0, batch = Some(7))

  test("without a stop, the grace never ends") {
    val query = new Query
    assert(!query.grace.isStopped)
    query.clock.advance(3600000)
    assert(!query.grace.isStopped)
  }

  test("the grace ends half a second after the stop") {
    val query = new Query
    query.stop()
    assert(!query.grace.isStopped)
    query.clock.advance(499)
    assert(!query.grace.isStopped)
    query.clock.advance(1)
    assert(query.grace.isStopped)
  }

  test("each commit that the brokers end starts the grace anew") {
    val query = new Query
    query.stop()
    for (_ <- 1 to 10) {
      assert(!query.grace.isStopped)
      query.clock.advance(400)
      assert(!query.grace.isStopped)
      query.grace.ended()
    }
    assert(!query.grace.isStopped)
    query.clock.advance(500)
    assert(query.grace.isStopped)
  }

  test("the next try of an abandoned commit starts the grace anew, and once for all commits of the try") {
    val query = new Query
    val all   = (1 to 3).map(n => open.copy(id = s"stoplog-$n"))
    query.stop()
    for (_ <- 1 to 2) {
      all.foreach(query.grace.begin)
      assert(!query.grace.isStopped)
      query.clock.advance(500)
      assert(query.grace.isStopped)
      all.foreach(query.grace.abandon)
      all.tail.map(_.copy(producerId = 2)).foreach(query.grace.begin) // not tried before
      assert(query.grace.isStopped)
    }
    query.grace.begin(all.head)
    assert(!query.grace.isStopped)
    query.clock.advance(500)
    all.tail.foreach(query.grace.begin)
    assert(query.grace.isStopped)
  }

  private final class Query {
    private var isOver = false
    val clock          = new ManualClock(0)

    val grace = new CommitGrace(
      new StopSignal {
        override def isStopped: Boolean = isOver
      },
      clock
    )

    def stop(): Unit = isOver = true
  }
}
