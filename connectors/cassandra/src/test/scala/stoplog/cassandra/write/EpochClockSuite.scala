// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.RequestRetries
import stoplog.error.StoplogException

class EpochClockSuite extends AnyFunSuite {

  private final class MemoryLedger extends EpochLedger {
    var all: Vector[EpochEntry]                                                  = Vector.empty
    var beforeReplace: () => Unit                                                = () => ()
    override def entries(): Seq[EpochEntry]                                      = all
    override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = {
      beforeReplace()
      val same = all.find(_.query == entry.query) == before
      if (same) all = all.filterNot(_.query == entry.query) :+ entry
      same
    }
  }

  private var now = 1700000000000000L

  private def clock(ledger: EpochLedger, query: String = "q") =
    new EpochClock(ledger, "ks.t", query, RequestRetries(60000), () => now)

  test("an epoch has the time at which it was first begun, whoever repeats it and whenever") {
    val ledger = new MemoryLedger
    val first  = clock(ledger)
    val begun  = first.begin(0)
    now += 5000000
    assert(first.begin(0) === begun)
    assert(clock(ledger).begin(0) === begun)
  }

  test("times grow with the epochs, even if the clock stands still or goes back") {
    val ledger = new MemoryLedger
    val one    = clock(ledger)
    val times  = for (epoch <- 0 until 5) yield {
      now -= 1000
      one.begin(epoch.toLong)
    }
    assert(times === times.sorted.distinct)
  }

  test(
    "times grow over a restart with a clock that is an hour behind, and leave room for what nobody wrote down"
  ) {
    val ledger = new MemoryLedger
    val before = clock(ledger).begin(7)
    now -= 3600L * 1000000
    assert(clock(ledger).begin(8) >= before + EpochClock.MarginMicros)
  }

  test("a new epoch is later than every row of the one before") {
    val ledger = new MemoryLedger
    val one    = clock(ledger)
    val begun  = one.begin(0)
    one.used(begun + 777)
    assert(one.begin(1) === begun + 778)
  }

  test("behind an epoch that a run repeats there is room too, for what the run before gave to its rows") {
    val ledger = new MemoryLedger
    val begun  = clock(ledger).begin(7) // and rows with times up to 777 more
    now -= 3600L * 1000000
    val again = clock(ledger)
    assert(again.begin(7) === begun)
    again.used(begun + 3)
    assert(again.begin(8) > begun + 777)
  }

  test("behind an epoch that another run has begun there is room, though this run has begun those before") {
    val ledger     = new MemoryLedger
    val one        = clock(ledger)
    val other      = clock(ledger)
    val firstBegun = one.begin(0)
    now -= 3600L * 1000000
    val begun = other.begin(1)
    assert(begun >= firstBegun + EpochClock.MarginMicros)
    assert(one.begin(1) === begun)
    assert(one.begin(2) >= begun + EpochClock.MarginMicros)
  }

  test("a new query begins behind all others that wrote to the table, and then goes by its own") {
    val ledger = new MemoryLedger
    val ahead  = clock(ledger, "ahead")
    now += 9000000
    val newest = ahead.begin(3)
    now -= 9000000
    val other = clock(ledger, "other")
    assert(other.begin(0) === newest + 1)
    assert(other.begin(1) === newest + 2)
  }

  test("two drivers of one query that begin the same epoch at once have the same time") {
    val ledger = new MemoryLedger
    var others = Option.empty[Long]
    ledger.beforeReplace = { () =>
      ledger.beforeReplace = () => ()
      now += 1
      others = Some(clock(ledger).begin(0))
    }
    assert(clock(ledger).begin(0) === others.get)
  }

  test("a write whose outcome nobody knows is looked up") {
    val ledger = new MemoryLedger
    val unsure = new EpochLedger {
      private var tries                                                            = 0
      override def entries(): Seq[EpochEntry]                                      = ledger.entries()
      override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = {
        tries += 1
        ledger.replace(before, entry) && (tries > 1 || (throw new IOException("no answer")))
      }
    }
    assert(clock(unsure).begin(0) === ledger.all.head.micros)
  }

  test("where no write is ever answered, tries end with the time") {
    val silent = new EpochLedger {
      override def entries(): Seq[EpochEntry]                                      = Nil
      override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean =
        throw new IOException("no answer")
    }
    val one = new EpochClock(silent, "ks.t", "q", RequestRetries.never, () => now)
    assert(intercept[IOException](one.begin(0)).getMessage === "no answer")
  }

  test("a driver that is behind writes nothing") {
    val ledger = new MemoryLedger
    clock(ledger).begin(5)
    val e = intercept[StoplogException](clock(ledger).begin(4))
    assert(e.getCondition === "STOPLOG_CASSANDRA_EPOCH_BEHIND")
    assert(e.getMessageParameters.get("newest") === "5")
  }
}
