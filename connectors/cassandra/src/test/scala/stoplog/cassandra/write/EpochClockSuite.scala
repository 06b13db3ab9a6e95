// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.RequestRetries
import stoplog.commit.{BatchDigests, Planned}
import stoplog.error.StoplogException
import stoplog.log.BatchDigest

class EpochClockSuite extends AnyFunSuite {

  private final class MemoryLedger extends EpochLedger {
    var all: Vector[EpochEntry]                                           = Vector.empty
    var beforeReplace: () => Unit                                         = () => ()
    override def repair(query: String, newest: Long, epoch: Long): String = s"UPDATE $query $newest $epoch"
    override def entries(): Seq[EpochEntry]                               = all
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

  private def batches(changed: (Long, String)*): BatchDigests = batch =>
    Some(BatchDigest(changed.toMap.getOrElse(batch, s"batch $batch")))

  private implicit final class Epochs(clock: EpochClock) {
    def begins(epoch: Long, digests: BatchDigests = batches()): Long =
      clock.begin(new Planned(epoch, digests))
  }

  private def refused(begin: => Long): StoplogException = intercept[StoplogException](begin)

  test("an epoch keeps its first timestamp over repetitions") {
    val ledger = new MemoryLedger
    val first  = clock(ledger)
    val begun  = first.begins(0)
    now += 5000000
    assert(first.begins(0) === begun)
    assert(clock(ledger).begins(0) === begun)
  }

  test("timestamps grow with epochs, even if the clock stops or moves back") {
    val ledger = new MemoryLedger
    val one    = clock(ledger)
    val times  = for (epoch <- 0 until 5) yield {
      now -= 1000
      one.begins(epoch.toLong)
    }
    assert(times === times.sorted.distinct)
  }

  test("timestamps grow over a restart with a late clock and leave a margin") {
    val ledger = new MemoryLedger
    val before = clock(ledger).begins(7)
    now -= 3600L * 1000000
    assert(clock(ledger).begins(8) >= before + EpochClock.MarginMicros)
  }

  test("a new epoch is later than every row of the previous epoch") {
    val ledger = new MemoryLedger
    val one    = clock(ledger)
    val begun  = one.begins(0)
    one.used(begun + 777)
    assert(one.begins(1) === begun + 778)
  }

  test("after an epoch repeated by a new run, a margin covers the former run") {
    val ledger = new MemoryLedger
    val begun  = clock(ledger).begins(7) // and rows with times up to 777 more
    now -= 3600L * 1000000
    val again = clock(ledger)
    assert(again.begins(7) === begun)
    again.used(begun + 3)
    assert(again.begins(8) > begun + 777)
  }

  test("after an epoch started by another run, a margin precedes the next epoch") {
    val ledger     = new MemoryLedger
    val one        = clock(ledger)
    val other      = clock(ledger)
    val firstBegun = one.begins(0)
    now -= 3600L * 1000000
    val begun = other.begins(1)
    assert(begun >= firstBegun + EpochClock.MarginMicros)
    assert(one.begins(1) === begun)
    assert(one.begins(2) >= begun + EpochClock.MarginMicros)
  }

  test("a new query starts after all rows of other writers of the table") {
    val ledger = new MemoryLedger
    val ahead  = clock(ledger, "ahead")
    now += 9000000
    val newest = ahead.begins(3)
    now -= 9000000
    val other   = clock(ledger, "other")
    val lastRow = newest + EpochClock.MarginMicros
    assert(other.begins(0) === lastRow + 1)
    assert(other.begins(1) === lastRow + 2)
  }

  test("two drivers that start the same epoch concurrently get the same timestamp") {
    val ledger = new MemoryLedger
    var others = Option.empty[Long]
    ledger.beforeReplace = { () =>
      ledger.beforeReplace = () => ()
      now += 1
      others = Some(clock(ledger).begins(0))
    }
    assert(clock(ledger).begins(0) === others.get)
  }

  test("a write with an unknown outcome is looked up") {
    val ledger = new MemoryLedger
    val unsure = new EpochLedger {
      private var tries                                                     = 0
      override def repair(query: String, newest: Long, epoch: Long): String = s"UPDATE $query $newest $epoch"
      override def entries(): Seq[EpochEntry]                               = ledger.entries()
      override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = {
        tries += 1
        ledger.replace(before, entry) && (tries > 1 || (throw new IOException("no answer")))
      }
    }
    assert(clock(unsure).begins(0) === ledger.all.head.micros)
  }

  test("without any response, retries end at the timeout") {
    val silent = new EpochLedger {
      override def repair(query: String, newest: Long, epoch: Long): String = s"UPDATE $query $newest $epoch"
      override def entries(): Seq[EpochEntry]                               = Nil
      override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean =
        throw new IOException("no answer")
    }
    val one = new EpochClock(silent, "ks.t", "q", RequestRetries.never, () => now)
    assert(intercept[IOException](one.begins(0)).getMessage === "no answer")
  }

  test("a driver with an older epoch writes nothing") {
    val ledger = new MemoryLedger
    clock(ledger).begins(5)
    val e = refused(clock(ledger).begins(4))
    assert(e.getCondition === "STOPLOG_EPOCH_AHEAD")
    assert(e.getMessageParameters.get("committed") === "epoch 5")
    assert(e.getMessage.contains("UPDATE q 5 4"))
  }

  test("rejects a replanned epoch in every run") {
    val ledger = new MemoryLedger
    val first  = clock(ledger)
    first.begins(5)
    val before = ledger.all
    for (run <- Seq(first, clock(ledger))) {
      val e = refused(run.begins(5, batches(5L -> "anew")))
      assert(e.getCondition === "STOPLOG_EPOCH_AHEAD")
      assert(e.getMessage.contains("replanned"))
    }
    assert(ledger.all === before)
    assert(
      clock(ledger).begins(5, BatchDigests.unknown) === before.head.micros
    ) // without a digest, the epoch counts as the same
  }

  test("rejects an epoch after another batch, and a skipped epoch") {
    val ledger = new MemoryLedger
    clock(ledger).begins(5)
    val other = refused(clock(ledger).begins(6, batches(5L -> "anew")))
    assert(other.getCondition === "STOPLOG_EPOCH_AHEAD")
    assert(other.getMessage.contains("after another epoch 5"))
    val early = refused(clock(ledger).begins(7))
    assert(early.getCondition === "STOPLOG_EPOCH_GAP")
    assert(early.getMessage.contains("UPDATE q 5 7"))
    assert(ledger.all.map(_.epoch) === Vector(5L))
  }

  test("an entry repaired by an operator lets the query start with a later timestamp") {
    val ledger = new MemoryLedger
    val micros = clock(ledger).begins(5)
    now -= 3600L * 1000000
    for (epoch <- Seq(5L, 4L, 8L)) {
      ledger.all = ledger.all.map(_.copy(epoch = epoch - 1, digest = None))
      assert(clock(ledger).begins(epoch, batches(epoch -> "anew")) >= micros + EpochClock.MarginMicros)
    }
  }

  test("an overtaken driver is rejected at its next epoch after the other batch") {
    val ledger = new MemoryLedger
    val one    = clock(ledger)
    one.begins(0)
    clock(ledger).begins(1, batches(1L -> "anew"))
    assert(refused(one.begins(1)).getMessage.contains("replanned"))
    assert(refused(one.begins(2)).getMessage.contains("after another epoch 1"))
  }
}
