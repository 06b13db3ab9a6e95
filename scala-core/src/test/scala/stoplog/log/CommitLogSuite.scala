// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.io.IOException

import scala.util.Try

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.CommitLog.{Decided, Overtaken}
import stoplog.part.{Closed, FinishedPart, PartRows, Pending, RunId}
import stoplog.rolling.RollReason

class CommitLogSuite extends AnyFunSuite {
  private val mine   = RunId("aaaaaaaa-0000-4000-8000-000000000001")
  private val theirs = RunId("bbbbbbbb-0000-4000-8000-000000000002")

  private def record(seq: Long, run: RunId = mine, publish: Int = 0): LogRecord = {
    val parts = Vector.fill(publish)(Pending("b", "p", Closed("t"), 1, PartRows(1, 0, 0), RollReason.Size))
    LogRecord(
      seq,
      RecordKind.Epoch(seq),
      run,
      0,
      parts,
      SinkState(QueryEpoch("q", Some(seq)), Vector.empty, 0, Map.empty)
    )
  }

  private def withLog(body: (MemoryRecords, CommitLog) => Unit): Unit = keeping(100)(body)

  /** With a log that removes each record as soon as so many newer ones are there. */
  private def keeping(newest: Int)(body: (MemoryRecords, CommitLog) => Unit): Unit = {
    val records = new MemoryRecords
    body(records, new CommitLog(records, rules(newest)))
  }

  private def rules(newest: Int) = LogRules.standard.copy(records = newest, batchSize = 1)

  private def condition(action: => Any): String = intercept[Throwable](action) match {
    case named: SparkThrowable => named.getCondition
    case other                 => throw other
  }

  test("an empty log has no newest record") {
    withLog((_, log) => assert(log.newest().isEmpty && log.all().isEmpty))
  }

  test("the newest record is the last appended record") {
    withLog { (_, log) =>
      (0L to 5L).foreach(seq => assert(log.append(record(seq)) === Decided))
      assert(log.newest() === Some(record(5)))
      assert(log.all() === (0L to 5L).map(record(_)).toVector)
    }
  }

  test("a cancelled compaction leaves a state with the totals of its inputs") {
    withLog { (records, log) =>
      val inputs =
        Vector("p", "q").map(name => FinishedPart("b", name, sizeBytes = 10, records = 1, epoch = 0))
      val merged =
        Pending("b", "m", Closed("t"), 15, PartRows(2, 0, 0), RollReason.Custom(LogRecord.CompactionReason))
      def state(small: Vector[FinishedPart], added: Totals) = SinkState(
        QueryEpoch("q", Some(0)),
        Vector.empty,
        0,
        Map.empty,
        live = Vector(LiveBucket("b", 0, added, 0), LiveBucket("c", 0, added, 0)),
        small = small
      )
      val other  = FinishedPart("b", "o", 10, 1, 0)
      val again  = FinishedPart("b", "m", 15, 2, 0, compactions = 1)
      val record = LogRecord(
        1,
        RecordKind.Compact,
        mine,
        0,
        Vector(merged),
        state(Vector(other, again), Totals(5, 9, 95)),
        replace = inputs
      )
      log.append(this.record(0))
      log.append(record)
      assert(log.newest() === Some(record))
      log.noteReplacement(record, ReplacementNote.CalledOff("a file is bound"))
      val expected = state(Vector(other), Totals(6, 9, 100)).live.head
      for {
        reader <- Seq(log, new CommitLog(records))
        found  <- Seq(reader.newest().get, reader.all().last)
      } {
        assert(found.state.small === Vector(other))
        assert(found.state.live === Vector(expected, record.state.live.last))
      }
      val cancelled = log.all().last
      assert(cancelled.publish.isEmpty && cancelled.replace.isEmpty, "the record has no effect")
      assert(log.reread(1).replace === inputs, "which are restored")
    }
  }

  test("an append to a taken sequence number returns the owner and changes nothing") {
    withLog { (_, log) =>
      log.append(record(0, theirs))
      assert(log.append(record(0, mine)) === Overtaken(theirs.value))
      assert(log.newest() === Some(record(0, theirs)))
    }
  }

  test("a record that was created by a failed put counts as appended") {
    withLog { (records, log) =>
      records.afterPut = _ => throw new IOException("connection lost")
      assert(log.append(record(0)) === Decided)
    }
  }

  test("an identical record from a repeated request counts as appended") {
    withLog { (records, log) =>
      records.beforePut = seq => {
        records.beforePut = _ => ()
        records.putIfAbsent(seq, RecordCodec.encode(record(seq)))
        ()
      }
      assert(log.append(record(0)) === Decided)
    }
  }

  test("a failed put on a number taken by another run returns the other run") {
    withLog { (records, log) =>
      records.beforePut = seq => {
        records.beforePut = _ => ()
        records.putIfAbsent(seq, RecordCodec.encode(record(seq, theirs)))
        throw new IOException("connection lost")
      }
      assert(log.append(record(0)) === Overtaken(theirs.value))
    }
  }

  test("a failed put without a readable record throws the original exception") {
    withLog { (records, log) =>
      val lost = new IOException("connection lost")
      records.beforePut = _ => throw lost
      assert(intercept[IOException](log.append(record(0))) eq lost)
    }
  }

  test("a driver that slept past a trim is overtaken") {
    keeping(2) { (_, log) =>
      (0L to 9L).foreach(seq => log.append(record(seq, theirs)))
      log.trim(record(9, theirs))
      assert(log.append(record(3, mine)) === Overtaken(theirs.value))
      assert(log.newest() === Some(record(9, theirs)))
      assert(log.all().map(_.seq) === Vector(8L, 9L), "what it left behind is no part of the log")
    }
  }

  test("an append fails if the preceding record is missing") {
    withLog { (records, log) =>
      (0L to 5L).foreach(seq => log.append(record(seq)))
      records.delete(0L to 5L) // the disk is away
      assert(condition(log.append(record(6))) === "STOPLOG_PLACE_CHANGED")
    }
  }

  test("an append fails if only the preceding record exists, as an earlier outage may have left it") {
    withLog { (records, log) =>
      (0L to 5L).foreach(seq => log.append(record(seq)))
      records.delete(0L to 4L)
      assert(condition(log.append(record(6))) === "STOPLOG_PLACE_CHANGED")
    }
  }

  test("an append tolerates the removal of records that a trim of another run removes") {
    keeping(3) { (records, log) =>
      (0L to 5L).foreach(seq => log.append(record(seq)))
      assert(log.newest() === Some(record(5)))
      records.delete(0L to 3L) // the trim of an older run, delayed
      assert(log.append(record(6)) === CommitLog.Decided)
    }
  }

  test("an append fails if the record is missing after its creation") {
    withLog { (records, log) =>
      (0L to 5L).foreach(seq => log.append(record(seq)))
      records.afterPut = seq => records.delete(Seq(seq)) // the disk is back
      assert(condition(log.append(record(6))) === "STOPLOG_PLACE_CHANGED")
      records.afterPut = _ => ()
      assert(log.newest() === Some(record(5)))
    }
  }

  test("a record is not the newest if the record itself is missing") {
    withLog { (records, log) =>
      (0L to 5L).foreach(seq => log.append(record(seq)))
      assert(log.overtaken(5).isEmpty && log.look(5) === LookBack.Newest)
      assert(log.look(4) === LookBack.Overtaken(5))
      records.delete(0L to 5L)
      assert(log.look(5) === LookBack.Elsewhere(5))
      assert(condition(log.overtaken(5)) === "STOPLOG_PLACE_CHANGED")
      assert(condition(log.refuseIfOvertaken("path", "main", 5)) === "STOPLOG_PLACE_CHANGED")
    }
  }

  test("a start is rejected if records are missing that no trim removes") {
    for (there <- Seq(Seq(3L), Seq(0L, 1L, 2L, 6L, 7L), 5L to 8L))
      assert(refusedStart(there, kept = 5) === Some("STOPLOG_LOG_GAP"), there)
  }

  test("a log may start at 0 or with the records left by a trim") {
    for (there <- Seq(Nil, Seq(0L), 0L to 3L, 5L to 9L, 2L +: (5L to 9L)))
      assert(refusedStart(there, kept = 5) === None, there)
  }

  test("a start is accepted after a reset that follows a gap") {
    keeping(5) { (records, log) =>
      Seq(0L, 1L, 6L).foreach(seq => records.putIfAbsent(seq, RecordCodec.encode(record(seq))))
      val reset = record(7).copy(state =
        record(7).state.copy(newest = record(7).state.newest.copy(queryId = SinkState.NextQuery))
      )
      assert(log.append(reset) === Decided)
      log.append(record(8))
      log.newest()
      log.refuseGap("path", "main")
    }
  }

  private def refusedStart(there: Seq[Long], kept: Int): Option[String] = {
    var refused = Option.empty[String]
    keeping(kept) { (records, log) =>
      there.foreach(seq => records.putIfAbsent(seq, RecordCodec.encode(record(seq))))
      log.newest()
      refused = Try(log.refuseGap("path", "main")).failed.toOption.map(e => condition(throw e))
    }
    refused
  }

  test("a record is left to the next driver once the next record exists") {
    withLog { (records, log) =>
      records.afterPut = seq => {
        records.afterPut = _ => ()
        records.putIfAbsent(seq + 1, RecordCodec.encode(record(seq + 1, theirs)))
        ()
      }
      assert(log.append(record(0, mine)) === Overtaken(theirs.value))
      assert(log.all().map(_.run) === Vector(mine, theirs))
    }
  }

  test("newest lists again if a record was trimmed between listing and reading") {
    val records = new MemoryRecords {
      private var first                                 = true
      override def read(seq: Long): Option[Array[Byte]] =
        if (first) {
          first = false
          putIfAbsent(seq + 1, RecordCodec.encode(record(seq + 1)))
          delete(Seq(seq))
          None
        } else super.read(seq)
    }
    records.putIfAbsent(0, RecordCodec.encode(record(0)))
    assert(new CommitLog(records).newest() === Some(record(1)))
  }

  test("a listed record that is never readable fails after five listings") {
    val records = new MemoryRecords {
      override def read(seq: Long): Option[Array[Byte]] = None
    }
    records.putIfAbsent(0, RecordCodec.encode(record(0)))
    assert(condition(new CommitLog(records).newest()) === "STOPLOG_RECORD_TORN")
    assert(records.listings === 5, "one that names it, and four that find it so again")
  }

  test("a record of another run is made durable before use") {
    var durable = Vector.empty[Long]
    val records = new MemoryRecords {
      override def makeDurable(seq: Long): Unit = durable :+= seq
    }
    val log = new CommitLog(records)
    log.append(record(0))
    assert(durable.isEmpty, "the put has done it")
    log.newest()
    assert(durable === Vector(0L))
    records.afterPut = _ => throw new IOException("connection lost")
    log.append(record(1))
    assert(durable === Vector(0L, 1L))
  }

  test("a record that cannot be made durable leaves an unknown outcome") {
    val records = new MemoryRecords {
      override def makeDurable(seq: Long): Unit = throw new IOException("fsync failed")
    }
    records.afterPut = _ => throw new IOException("fsync failed")
    assert(condition(new CommitLog(records).append(record(0))) === "STOPLOG_UNKNOWN_OUTCOME")
  }

  test("trimming keeps the newest records and never removes the last record") {
    for ((kept, left) <- Seq(100 -> (0L to 9L), 3 -> (7L to 9L), 0 -> (9L to 9L)))
      keeping(kept) { (records, log) =>
        (0L to 9L).foreach(seq => log.append(record(seq)))
        log.trim(record(9))
        assert(records.list() === left.toVector)
      }
  }

  test("records are removed in batches, not in every epoch") {
    val records = new MemoryRecords
    val log     = new CommitLog(records, LogRules.standard.copy(records = 3, batchSize = 4))
    val kept    = (0L to 11L).map { seq =>
      log.append(record(seq))
      log.trim(record(seq))
      records.list().size
    }
    assert(kept === Seq(1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4))
  }

  test("an append lists the log once, regardless of trimmed records") {
    var looks   = 0
    val records = new MemoryRecords {
      override def list(): Vector[Long] = {
        looks += 1
        super.list()
      }
    }
    val log = new CommitLog(records, rules(3))
    (0L to 9L).foreach { seq =>
      log.append(record(seq))
      log.trim(record(seq))
    }
    assert(looks === 10)
    assert(records.list() === Vector(7L, 8L, 9L))
  }

  test("a stale record of an overtaken driver is removed by the next trim") {
    keeping(2) { (records, log) =>
      (0L to 9L).foreach(seq => log.append(record(seq, theirs)))
      log.trim(record(9, theirs))
      assert(new CommitLog(records).append(record(3, mine)) === Overtaken(theirs.value))
      log.append(record(10, theirs))
      log.trim(record(10, theirs))
      assert(records.list() === Vector(9L, 10L))
    }
  }

  test("a record without parts counts as published, and others once marked") {
    withLog { (records, log) =>
      assert(log.isPublished(record(0)))
      log.markPublished(record(0))
      assert(!records.isPublished(0), "nothing to mark")
      val named = record(1, publish = 2)
      assert(!log.isPublished(named))
      log.markPublished(named)
      assert(log.isPublished(named))
    }
  }

  test("torn and newer records fail with the condition and the location") {
    withLog { (records, log) =>
      records.putIfAbsent(0, RecordCodec.encode(record(0)).dropRight(1))
      assert(condition(log.newest()) === "STOPLOG_RECORD_TORN")
      records.putIfAbsent(1, s"""{"version":${RecordCodec.Version + 1},"record":{}}""".getBytes)
      assert(condition(log.newest()) === "STOPLOG_RECORD_TOO_NEW")
      assert(intercept[Exception](log.newest()).getMessage.contains("memory/1"))
    }
  }
}
