// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.wal

import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.client.RequestRetries
import stoplog.cassandra.write.{EpochClock, EpochEntry, EpochLedger}
import stoplog.error.StoplogException
import stoplog.wal.{Chunk, DecidedEpoch}

class ChunkTimesSuite extends AnyFunSuite {
  private var now   = 1700000000000000L
  private var reads = 0

  private final class MemoryLedger extends EpochLedger {
    var all: Vector[EpochEntry] = Vector.empty

    override def repair(query: String, newest: Long, epoch: Long): String = s"UPDATE $query $newest $epoch"

    override def entries(): Seq[EpochEntry] = {
      reads += 1
      all
    }

    override def replace(before: Option[EpochEntry], entry: EpochEntry): Boolean = {
      all = all.filterNot(_.query == entry.query) :+ entry
      true
    }
  }

  private def times(ledger: EpochLedger) =
    new ChunkTimes(query => new EpochClock(ledger, "ks.t", query, RequestRetries.never, () => now), () => now)

  private def chunk(epoch: Long, rows: Long = 1, name: String = "c"): Chunk =
    Chunk("main", "q", name, Some(epoch), 0, rows)

  private implicit final class Times(times: ChunkTimes) {
    def of(chunk: Chunk, decision: String = "run"): Option[Long] =
      times.of(chunk, DecidedEpoch("q", chunk.epochNumber, decision))
  }

  test("chunks of an epoch share a timestamp that is read once from the ledger") {
    val ledger = new MemoryLedger
    val first  = times(ledger)
    val micros = first.of(chunk(0))
    now += 5000
    reads = 0
    assert(first.of(chunk(0, name = "d")) === micros)
    assert(reads === 0)
    assert(times(ledger).of(chunk(0)) === micros)
  }

  test("rows of a later epoch have later timestamps than all rows of earlier epochs") {
    val ledger = new MemoryLedger
    val some   = times(ledger)
    val first  = some.of(chunk(0, rows = 10)).get
    some.of(chunk(0, rows = 3000000, name = "d"))
    val second = some.of(chunk(1)).get
    assert(second > first + 3000000)
    now = second + 10000000
    // A quick query does not run ahead of the clock.
    for (epoch <- 2 to 20) {
      now += 1000
      assert(some.of(chunk(epoch.toLong, rows = 100)).contains(now))
    }
  }

  test("rejects an overtaken process") {
    val ledger = new MemoryLedger
    val old    = times(ledger)
    old.of(chunk(0))
    times(ledger).of(chunk(2))
    assert(intercept[StoplogException](old.of(chunk(1))).getCondition === "STOPLOG_EPOCH_AHEAD")
  }

  test("rejects an epoch that was decided again, because its timestamps would collide") {
    val ledger = new MemoryLedger
    times(ledger).of(chunk(7), "run 1")
    for (anew <- Seq(times(ledger), times(ledger)))
      assert(
        intercept[StoplogException](
          anew.of(chunk(7), "run 2")
        ).getCondition === "STOPLOG_EPOCH_AHEAD"
      )
    assert(ledger.all.map(_.digest.map(_.value)) === Vector(Some("run 1")))
    times(ledger).of(chunk(9), "run 2") // epochs without rows do not begin
    assert(ledger.all.map(_.epoch) === Vector(9L))
  }

  test("a batch query reads no ledger and has a single timestamp") {
    val some = times(new MemoryLedger)
    reads = 0
    val job    = chunk(0).copy(epoch = None)
    val micros = some.of(job)
    now += 1000
    assert(some.of(job) === micros)
    assert(reads === 0)
  }
}
