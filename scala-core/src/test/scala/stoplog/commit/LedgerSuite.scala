// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.{LogRecord, LogRules, QueryEpoch, RecordCodec, RecordKind, SinkState}
import stoplog.rolling.RollReason
import stoplog.thread.Parallel

/** Who may say that an epoch is committed, when two drivers are at it. */
class LedgerSuite extends AnyFunSuite {
  private val closing = Rolls(onEpochEnd = _ => Some(RollReason.Checkpoint)).policy

  test("a driver fenced while publishing does not report the epoch as committed") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublish = { _ =>
      world.parts.onPublish = _ => ()
      world.epoch(world.driver(other), 1, "b")
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
    assert(condition(older.begin(1, slots = 1)) === "STOPLOG_FENCED")
  }

  test("a driver fenced while publishing reports no lost part if a reader took its part") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublish = { path =>
      world.parts.onPublish = _ => ()
      world.epoch(world.driver(other), 1, "b")
      world.parts.take(path)
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of b"))
  }

  test("a driver that slept after publishing does not report the epoch as committed") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublished = { _ =>
      world.parts.onPublished = _ => ()
      world.epoch(world.driver(other), 1, "b")
      world.clock.advance(6000)
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("a driver fenced faster than the liveness timeout does not report the epoch as committed") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublished = { _ =>
      world.parts.onPublished = _ => ()
      world.epoch(world.driver(other), 1, "b")
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.rows === Vector("row of a", "row of b"))
  }

  test("a driver is fenced after many later records; a run deletes no other run's marks") {
    val world = new DriverWorld(closing, rules = LogRules.standard.copy(marks = 1, batchSize = 1))
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublished = { _ =>
      world.parts.onPublished = _ => ()
      val newer = world.driver(other)
      (1L to 9L).foreach(world.epoch(newer, _, "b"))
    }
    assert(condition(older.commit(0, Seq(done))) === "STOPLOG_FENCED")
    assert(world.records.list().filter(world.records.isPublished) === Vector(1L, 11L))
  }

  test("a recovery that slept does not repeat a record that the living run has unmarked") {
    val world  = new DriverWorld(closing, rules = LogRules.standard.copy(marks = 1, batchSize = 1))
    val living = world.driver()
    world.epoch(living, 0, "a")
    val seen = world.log.newest().get
    (1L to 5L).foreach(world.epoch(living, _, "b"))
    assert(!world.log.isPublished(seen))
    world.parts.take(seen.publish.head.finishedPath)
    world.parts.forgetCalls()
    ledger(world).recover(seen)
    assert(world.parts.calls === Seq.empty)
  }

  test("an epoch that publishes quickly lists the log only once") {
    val world  = new DriverWorld(closing)
    val driver = world.driver()
    world.epoch(driver, 0, "a")
    val plan  = driver.begin(1, slots = 1)
    val done  = world.task(plan, 0, "a")
    val looks = world.records.listings
    driver.commit(1, Seq(done))
    assert(world.records.listings === looks + 1, "that of the append")
  }

  test("a query continues if old records and marks cannot be deleted, and retries later") {
    val rules  = LogRules.standard.copy(records = 2, marks = 1, batchSize = 3)
    val world  = new DriverWorld(closing, rules = rules)
    val driver = world.driver()
    var tried  = Vector.empty[String]
    def refuse(what: String): Seq[Long] => Unit = { _ =>
      tried :+= what
      throw Errors.storeWrite("log", "403", new IOException("403"))
    }
    world.records.beforeDelete = refuse("records")
    world.records.beforeUnmark = refuse("marks")
    (0L to 8L).foreach(world.epoch(driver, _, "a"))
    assert(world.rows.size === 9)
    assert(tried.count(_ == "records") === 2 && tried.count(_ == "marks") === 2, "not in each epoch")
    world.records.beforeDelete = _ => ()
    (9L to 11L).foreach(world.epoch(driver, _, "a"))
    assert(world.records.list().size <= 2 + 3)
  }

  test("writing a mark or a visibility note is retried after a failure") {
    val once  = StorageRetry.jittered(tries = 2, baseMillis = 1, _ => ())
    val world = new DriverWorld(closing)
    var left  = 1
    world.records.beforeMark = { seq =>
      left -= 1
      if (left == 0) throw Errors.storeWrite(s"$seq", "503", new IOException("503"))
    }
    world.epoch(world.driver(retry = once), 0, "a")
    assert(world.rows === Vector("row of a") && world.log.isPublished(world.newest))
    val settling = new RecordExecutorWorld(tries = 2)
    val record   = settling.record(settling.closed("p"), settling.closed("q"))
    var fails    = 1
    settling.records.beforeNote = { seq =>
      fails -= 1
      if (fails == 0) throw Errors.storeWrite(s"$seq", "503", new IOException("503"))
    }
    settling.parts.onPublish = path => if (path == "b/q") throw Errors.nameTaken(path, "it is")
    assert(condition(settling.publish(record)) === "STOPLOG_NAME_TAKEN")
    assert(settling.log.visible(record) === Set("b/p"))
  }

  private def ledger(world: DriverWorld): Ledger = new Ledger(
    mine,
    identity,
    world.stores,
    LostPart.Fail,
    MemoryNotes.unasked,
    DriverTools(world.clock, Faults.none, DriverLock.semaphore(), Parallel.sequential, StorageRetry.never)
  )

  private val empty = SinkState(QueryEpoch("query-1", None), Vector.empty, nextPart = 0, Map.empty)

  test("an epoch slower than five seconds lists the log again") {
    for ((tookMillis, looks) <- Seq(5000L -> 1, 5001L -> 2)) {
      val world  = new DriverWorld(closing)
      val driver = world.driver()
      world.epoch(driver, 0, "a")
      val plan = driver.begin(1, slots = 1)
      val done = world.task(plan, 0, "a")
      world.parts.onPublished = _ => world.clock.advance(tookMillis)
      val before = world.records.listings
      driver.commit(1, Seq(done))
      assert(world.records.listings === before + looks)
    }
  }

  test("a claim gives up after twenty lost races") {
    val world = new DriverWorld(closing)
    var tries = 0
    world.records.beforePut = { seq =>
      tries += 1
      val ahead = world.records.beforePut
      world.records.beforePut = _ => ()
      val claim = LogRecord(seq, RecordKind.Claim, other, 0, Vector.empty, empty)
      world.records.putIfAbsent(seq, RecordCodec.encode(claim))
      world.records.beforePut = ahead
    }
    assert(condition(world.driver().begin(0, slots = 1)) === "STOPLOG_FENCED")
    assert(tries === 20)
  }

  test("the fencing error names the other run's record and includes the original failure") {
    val world = new DriverWorld(closing)
    val older = world.driver()
    val plan  = older.begin(0, slots = 1)
    val done  = world.task(plan, 0, "a")
    world.parts.onPublish = { path =>
      world.parts.onPublish = _ => ()
      world.driver(other).begin(1, slots = 1)
      throw Errors.storeWrite(path, "503", new IOException("503"))
    }
    val fenced = intercept[Exception](older.commit(0, Seq(done)))
    assert(condition(throw fenced) === "STOPLOG_FENCED")
    assert(fenced.getMessage.contains("record 2 of its log"))
    assert(fenced.getSuppressed.map(each => condition(throw each)) === Array("STOPLOG_STORE_WRITE"))
  }

  test("parts published before a failure are not published again") {
    val world  = new DriverWorld(closing)
    val driver = world.driver()
    val plan   = driver.begin(0, slots = 1)
    val done   = world.task(plan, 0, "a", "b")
    world.parts.onPublish =
      path => if (path.startsWith("b/")) throw Errors.storeWrite(path, "503", new IOException("503"))
    assert(condition(driver.commit(0, Seq(done))) === "STOPLOG_STORE_WRITE")
    world.parts.onPublish = _ => ()
    world.parts.forgetCalls()
    driver.begin(1, slots = 1)
    val asked = world.parts.calls.filter(_.startsWith("publish"))
    assert(asked.size === 1 && asked.head.startsWith("publish b/"))
  }

  test("a run with an unknown record outcome writes no further records and repeats the cause") {
    val world = new DriverWorld(closing)
    val run   = ledger(world)
    run.claim(_ => empty)
    world.records.beforePut = _ => throw new IOException("no answer")
    val entry   = Ledger.Entry(RecordKind.Epoch(0), empty)
    val failure = intercept[IOException](run.append(entry))
    assert(run.isLost)
    world.records.beforePut = _ => ()
    assert(intercept[IOException](run.append(entry)) eq failure)
    assert(world.records.list() === Vector(0L))
  }
}
