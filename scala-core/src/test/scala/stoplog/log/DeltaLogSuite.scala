// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.CommitLog.Decided
import stoplog.commit.Samples
import stoplog.part.{LastWriter, Open, PartRows, Resume, RunId}
import stoplog.storage.Durability

/** A log in which most records hold the difference from the one before. */
class DeltaLogSuite extends AnyFunSuite {
  private val mine   = RunId("aaaaaaaa-0000-4000-8000-000000000001")
  private val theirs = RunId("bbbbbbbb-0000-4000-8000-000000000002")

  private val rules = TestRules.differences

  private def part(n: Int, records: Long = 1): Open =
    Open(
      "b",
      s"p$n",
      Resume(s"_stoplog/main/open/p$n"),
      10 * records,
      PartRows(records, 0, 0),
      LastWriter(n, Some(mine))
    )

  /** Epoch `n` begins part `n`, writes to part 0, and closes part `n - 3`. */
  private def state(n: Int): SinkState = SinkState(
    QueryEpoch("q", Some(n.toLong)),
    Vector
      .tabulate(n + 1)(k => if (k == 0) part(0, n + 1L) else part(k))
      .filter(p => p.slot == 0 || p.slot > n - 3),
    n.toLong,
    Map("schema" -> s"of ${n / 4}")
  )

  private def record(n: Int, run: RunId = mine): LogRecord = LogRecord(
    n.toLong,
    if (n == 0) RecordKind.Claim else RecordKind.Epoch(n.toLong),
    run,
    n.toLong,
    Vector.empty,
    state(n)
  )

  private def written(records: LogFiles, until: Int, rules: LogRules = rules): CommitLog = {
    val log = new CommitLog(records, rules)
    (0 to until).foreach { n =>
      assert(log.append(record(n)) === Decided)
      log.trim(record(n))
    }
    log
  }

  private def stored(records: LogFiles, seq: Long): StoredRecord =
    RecordCodec.read(records.read(seq).get).fold(problem => fail(s"$problem"), identity)

  private def sorted(record: LogRecord): LogRecord =
    record.copy(state = record.state.copy(open = record.state.open.sortBy(_.name)))

  private def problem(action: => Any): (String, String) = intercept[Throwable](action) match {
    case named: SparkThrowable => named.getCondition -> named.asInstanceOf[Throwable].getMessage
    case other                 => throw other
  }

  test("whole and delta records are readable by the writer and by another log") {
    val records = new MemoryRecords
    val log     = written(records, until = 12)
    for (reader <- Seq(log, new CommitLog(records))) {
      assert(reader.newest().map(sorted) === Some(sorted(record(12))))
      assert(reader.all().map(sorted) === (0 to 12).map(n => sorted(record(n))).toVector)
    }
  }

  test("a whole record follows a fixed number of deltas, and a claim is whole") {
    val records = new MemoryRecords
    written(records, until = 11)
    val whole = (0L to 11L).filter(stored(records, _).isInstanceOf[StoredRecord.Whole])
    assert(whole === Seq(0L, 5L, 10L))
  }

  test("a run writes no delta on another run's record, except its claim on the record that it has read") {
    for {
      kind     <- Seq(RecordKind.Claim, RecordKind.Epoch(4))
      hasRead  <- Seq(true, false)
      contents <- Seq(record(4, theirs).copy(kind = kind))
    } {
      val records = new MemoryRecords
      written(records, until = 3)
      val heir = new CommitLog(records, rules)
      if (hasRead) heir.newest()
      heir.append(contents)
      val isDelta = stored(records, 4).isInstanceOf[StoredRecord.Delta]
      assert(isDelta === (hasRead && kind == RecordKind.Claim), s"$kind, read: $hasRead")
      for (reader <- Seq(heir, new CommitLog(records)))
        assert(reader.newest().map(sorted) === Some(sorted(contents)))
    }
  }

  test("a claim continues the chain of the preceding run, and the chain keeps its limit") {
    val records = new MemoryRecords
    written(records, until = 2)
    var newest = 2L
    for (n <- 3 to 5) {
      val heir = new CommitLog(records, rules)
      heir.newest()
      heir.append(record(n, theirs).copy(kind = RecordKind.Claim))
      newest = n.toLong
    }
    val whole = (0L to newest).filter(stored(records, _).isInstanceOf[StoredRecord.Whole])
    assert(whole === Seq(0L, 5L))
    assert(new CommitLog(records).all().map(sorted) === (0 to 5).map { n =>
      sorted(if (n < 3) record(n) else record(n, theirs).copy(kind = RecordKind.Claim))
    })
  }

  test("a claim among twenty thousand unchanged parts writes a few hundred bytes") {
    val records = new MemoryRecords
    val many    = state(0).copy(open = Vector.tabulate(20000)(part(_)))
    val log     = new CommitLog(records)
    Seq(record(0), record(1)).foreach(each => log.append(each.copy(state = many)))
    val heir = new CommitLog(records)
    heir.append(record(2, theirs).copy(kind = RecordKind.Claim, state = heir.newest().get.state))
    assert(records.read(2).get.length < 1000)
    assert(new CommitLog(records).newest().map(_.state) === Some(many))
  }

  test("a claim on a whole record is whole, because a power loss may take a record of durability=process") {
    val records = new MemoryRecords
    written(records, until = 5)
    val heir = new CommitLog(records, rules)
    assert(heir.newest().map(_.seq) === Some(5) && stored(records, 5).isInstanceOf[StoredRecord.Whole])
    heir.append(record(6, theirs).copy(kind = RecordKind.Claim))
    records.delete(Seq(5))
    records.putIfAbsent(5, Array.emptyByteArray)
    assert(new CommitLog(records).newest().map(_.seq) === Some(6))
  }

  test("trimming behind a claim keeps the base of the preceding run, without reading a record") {
    val records = new MemoryRecords
    written(records, until = 7)
    val heir = new CommitLog(records, rules.copy(records = 2))
    heir.newest()
    val claim = record(8, theirs).copy(kind = RecordKind.Claim)
    heir.append(claim)
    heir.trim(claim)
    assert(records.list() === (5L to 8L).toVector, "the claim rests on 5")
    assert(new CommitLog(records).newest().map(sorted) === Some(sorted(claim)))
  }

  test("an epoch with ten changes in twenty thousand parts writes a few thousand bytes") {
    val records = new MemoryRecords
    val log     = new CommitLog(records)
    val many    = Vector.tabulate(20000)(part(_))
    log.append(record(0).copy(state = state(0).copy(open = many)))
    val touched = many.map(p => if (p.slot % 2000 == 0) Samples.withRows(p)(_.copy(count = 2)) else p)
    log.append(record(1).copy(state = state(1).copy(open = touched)))
    assert(records.read(0).get.length > 1000000)
    assert(records.read(1).get.length < 4000)
    assert(new CommitLog(records).newest().map(_.state.open.toSet) === Some(touched.toSet))
  }

  test("trimming keeps records from the base of the oldest retained record") {
    val records = new MemoryRecords
    written(records, until = 13, rules.copy(records = 2))
    assert(records.list() === Vector(10L, 11L, 12L, 13L))
    assert(new CommitLog(records).all().map(_.seq) === Vector(10L, 11L, 12L, 13L))
  }

  test("trimming keeps the base of the oldest retained record from an earlier run") {
    val records = new MemoryRecords
    written(records, until = 8)
    val heir = new CommitLog(records, rules.copy(records = 3))
    heir.append(record(9, theirs).copy(kind = RecordKind.Claim))
    heir.trim(record(9, theirs))
    assert(records.list() === (5L to 9L).toVector, "7 is the oldest record to keep, and 5 is its base")
    assert(new CommitLog(records).all().map(_.seq) === (5L to 9L).toVector)
  }

  test("an unreadable record does not prevent the removal of others") {
    val records = new MemoryRecords
    written(records, until = 8)
    val bytes = records.read(7).get
    records.delete(Seq(7))
    records.putIfAbsent(7, bytes.dropRight(1))
    val heir = new CommitLog(records, rules.copy(records = 3))
    heir.append(record(9, theirs).copy(kind = RecordKind.Claim))
    heir.trim(record(9, theirs))
    assert(records.list() === (5L to 9L).toVector, "5 is the base of 8")
  }

  test("a delta is never applied to a record other than its base") {
    val records = new MemoryRecords
    written(records, until = 3)
    val other = new MemoryRecords
    written(other, until = 1)
    for (seq <- Seq(1L, 0L)) {
      val lying = new MemoryRecords
      (0L to 3L).foreach { n =>
        val bytes  = records.read(n).get
        val forged =
          if (n == seq) RecordCodec.encode(record(n.toInt).copy(writtenAtMillis = 99)) else bytes
        lying.putIfAbsent(n, forged)
      }
      val (condition, message) = problem(new CommitLog(lying).newest())
      assert(condition === "STOPLOG_RECORD_TORN")
      assert(message.contains(s"memory/${seq + 1}") && message.contains("is a different record now"), message)
      assert(problem(new CommitLog(lying).all())._1 === "STOPLOG_RECORD_TORN")
    }
  }

  test("without power-loss durability, a log is readable if its newest record is intact") {
    val records = new MemoryRecords { override def durability: Durability = Durability.Process }
    written(records, until = 8)
    for (n <- 8 to 1 by -1) {
      records.delete(Seq(n - 1L))
      assert(new CommitLog(records, rules).newest() === Some(record(8)), s"without $n")
    }
  }

  test("a newest record without its base is torn, and older records without bases are skipped") {
    val records = new MemoryRecords
    written(records, until = 8)
    records.delete(Seq(6))
    val (condition, message) = problem(new CommitLog(records).newest())
    assert(condition === "STOPLOG_RECORD_TORN")
    assert(message.contains("memory/8") && message.contains("its base, record 6"), message)
    records.delete(Seq(7, 8))
    records.delete(Seq(0))
    assert(new CommitLog(records).all().map(_.seq) === Vector(5L), "1 to 4 rest on 0")
  }

  test("newest reads again if the base is trimmed during the read") {
    val records = new MemoryRecords {
      private var first                                 = true
      override def read(seq: Long): Option[Array[Byte]] =
        if (first && seq == 2) {
          first = false
          putIfAbsent(4, RecordCodec.encode(record(4)))
          delete(0L to 3L)
          None
        } else super.read(seq)
    }
    written(records, until = 3)
    assert(new CommitLog(records).newest().map(_.seq) === Some(4))
  }

  test("a known state is not read again") {
    var reads   = Vector.empty[Long]
    val records = new MemoryRecords {
      override def read(seq: Long): Option[Array[Byte]] = { reads :+= seq; super.read(seq) }
    }
    val log = written(records, until = 3)
    val own = new CommitLog(records, rules)
    own.newest()
    assert(reads === Vector(3L, 2L, 1L, 0L))
    reads = Vector.empty
    log.append(record(4))
    own.newest()
    assert(reads === Vector(4L))
  }

  test("a record is decoded once, and again if its file has another content") {
    val records = new MemoryRecords
    written(records, until = 0)
    val log   = new CommitLog(records, rules)
    val first = log.newest().get
    assert(log.newest().get.state eq first.state)

    records.delete(Seq(0L))
    records.putIfAbsent(0, RecordCodec.encode(record(0, theirs)))
    assert(log.newest().get.run === theirs)
  }

  test("a run deletes its own older marks and keeps marks of earlier runs") {
    val records                                       = new MemoryRecords
    def run(name: RunId, from: Int, until: Int): Unit = {
      val log = new CommitLog(records, rules.copy(marks = 2, batchSize = 3))
      (from to until).foreach { n =>
        val publish = Vector(GoldenRecords.whole("record-v1-roll.json").publish.head)
        val next    =
          record(n, name).copy(kind = if (n == from) RecordKind.Claim else RecordKind.Roll, publish = publish)
        assert(log.append(next) === Decided)
        assert(log.markPublished(next))
        log.trim(next)
      }
    }
    run(mine, 0, 5)
    assert((0L to 5L).filter(records.isPublished) === Seq(3L, 4L, 5L))
    run(theirs, 6, 10)
    assert((0L to 10L).filter(records.isPublished) === Seq(3L, 4L, 5L, 9L, 10L))
  }
}
