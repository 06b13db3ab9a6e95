// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.kafka.client.OpenTransaction
import stoplog.thread.StopSignal

class CommitGraceSuite extends AnyFunSuite {
  private val open = OpenTransaction("stoplog-1", 1, 0, begunAtMillis = 0, batch = Some(7))

  private def transaction(n: Int) = open.copy(id = s"stoplog-$n")

  test("without a stop, a commit has unlimited time") {
    val query  = new Query
    val commit = query.grace.begin(open)
    assert(!commit.isStopped)
    query.clock.advance(3600000)
    assert(!commit.isStopped)
  }

  test("a commit ends a second after the stop, and not a second after its start") {
    val query  = new Query
    val commit = query.grace.begin(open)
    query.clock.advance(3600000)
    query.stop()
    assert(!commit.isStopped)
    query.clock.advance(999)
    assert(!commit.isStopped)
    query.clock.advance(1)
    assert(commit.isStopped)
  }

  test("commits that hang leave a second to each other commit") {
    val query   = new Query
    val hanging = (1 to 8).map(n => query.grace.begin(transaction(n)))
    query.stop()
    assert(!hanging.exists(_.isStopped))
    query.clock.advance(1000)
    assert(hanging.forall(_.isStopped))
    for (n <- 9 to 40) {
      val commit = query.grace.begin(transaction(n))
      assert(!commit.isStopped)
      query.clock.advance(900)
      assert(!commit.isStopped)
      query.grace.ended(transaction(n))
    }
  }

  test("if no commit ends for five seconds, all commits end, and their repetition has five seconds again") {
    val query = new Query
    query.stop()
    for (_ <- 1 to 2) {
      for (n <- 1 to 5) {
        val commit = query.grace.begin(transaction(n))
        assert(!commit.isStopped, n)
        query.clock.advance(1000)
        assert(commit.isStopped, n)
      }
      assert(query.grace.begin(transaction(6)).isStopped)
    }
  }

  test("a commit that failed may be repeated") {
    val query = new Query
    query.stop()
    assert(!query.grace.begin(open).isStopped)
    query.clock.advance(3600000)
    assert(!query.grace.begin(open).isStopped)
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
