// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.{Open, PartNaming}
import stoplog.plan.{Attempt, TaskPlan, TaskResult}
import stoplog.rolling.{DefaultRollingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.writing.{BadRow, EpochPolicy, Member, OpenPartWriter, RowPartFormat, SpoolWriter, TaskWriter}

/** Parts that are closed by the event times of their rows. A row is its time in milliseconds, or `none`. */
class EventTimeSuite extends AnyFunSuite {
  import EventTimeSuite._

  private val hundred = DefaultRollingPolicy().withEventTimeIntervalMillis(100)

  test("a row one interval after the first row starts a new part in its bucket") {
    val result = written(hundred)("a" -> "1000", "b" -> "1050", "a" -> "1099", "b" -> "1149", "a" -> "1100")
    assert(
      result.closed.map(part => (part.bucket, part.records, part.reason)) === Vector(
        ("a", 2, RollReason.EventTime)
      )
    )
    assert(firsts(result) === Set(("a", 1, Some(1100)), ("b", 2, Some(1050))))
  }

  test("late rows and rows without an event time close nothing; the first event time counts") {
    val result = written(hundred)(Seq("none", "1000", "none", "3", "1099").map("b" -> _): _*)
    assert(result.closed.isEmpty)
    assert(firsts(result) === Set(("b", 5, Some(1000))))
    assert(firsts(written(hundred)("b" -> "none")) === Set(("b", 1, None)))
  }

  test("a part from an earlier epoch keeps its own first event time") {
    val before = left(Some(1000))
    assert(firsts(written(hundred, before)("b" -> "1099")) === Set(("b", 2, Some(1000))))
    val result = written(hundred, before)("b" -> "1100", "b" -> "1199")
    assert(
      result.closed.map(part => (part.name, part.reason)) === Vector(before.name -> RollReason.EventTime)
    )
    assert(firsts(result) === Set(("b", 2, Some(1100))))
  }

  test("a part without a recorded event time starts with its next row") {
    assert(firsts(written(hundred, left(None))("b" -> "5000", "b" -> "5099")) === Set(("b", 3, Some(5000))))
  }

  test("a query without event times keeps a part's recorded event time") {
    val result =
      written(DefaultRollingPolicy(), left(Some(1000)), OpenPartWriter.RowTimes.NoTimes)("b" -> "9999")
    assert(firsts(result) === Set(("b", 2, Some(1000))))
  }

  test("other limits of the policy take precedence over event times") {
    val both = hundred.withMaxRecordsPerPart(1)
    assert(
      written(both)("b" -> "0", "b" -> "500").closed.map(_.reason) === Vector.fill(2)(RollReason.Records)
    )
  }

  test("a row that cannot be written does not set the first event time") {
    val writer = task(hundred, None, Times)
    assertThrows[BadRow](writer.write("b", "bad 1"))
    writer.write("b", "1000")
    writer.write("b", "1099")
    assert(firsts(writer.commit()) === Set(("b", 2, Some(1000))))
  }

  test("event times also close parts under epoch and batch job policies") {
    object Opened extends PartStats {
      override def bucket: String                     = "b"
      override def sizeBytes: Long                    = 1
      override def records: Long                      = 1
      override def openedAtMillis: Long               = 0
      override def lastWrittenAtMillis: Long          = 0
      override def firstEventTimeMillis: Option[Long] = Some(0)
    }
    for (policy <- Seq(EpochPolicy(hundred), JobPolicy(hundred)))
      assert(policy.onEventTime(Opened, 100) === Some(RollReason.EventTime))
  }

  private def firsts(result: TaskResult): Set[(String, Int, Option[Int])] =
    result.open.map(part => (part.bucket, part.records.toInt, part.firstEventTimeMillis.map(_.toInt))).toSet

  private val parts = new MemoryParts

  private def written(policy: RollingPolicy)(rows: (String, String)*): TaskResult =
    done(task(policy, None, Times), rows)

  private def written(policy: RollingPolicy, handed: Open, times: OpenPartWriter.RowTimes[String] = Times)(
      rows: (String, String)*
  ): TaskResult = done(task(policy, Some(handed), times), rows)

  private def done(writer: TaskWriter[String], rows: Seq[(String, String)]): TaskResult = {
    rows.foreach { case (bucket, row) => writer.write(bucket, row) }
    writer.commit()
  }

  private def task(
      policy: RollingPolicy,
      handed: Option[Open],
      times: OpenPartWriter.RowTimes[String]
  ): TaskWriter[String] =
    new TaskWriter(
      TaskPlan(mine, 5, 0, Attempt.First, handed.toVector, firstPart = 10, stride = 1),
      parts,
      new SpoolWriter(new MemorySpoolFiles, Faults.none),
      TimedLines,
      TaskWriter.Rules(policy, PartNaming("part", ".txt"), maxOpenParts = 100, _ => (), () => ()),
      TaskWriter.Tools(new ManualClock(1000), Faults.none),
      TaskWriter.Times(ofEvent = times)
    )

  private def left(firstEventTimeMillis: Option[Long]): Open = {
    val output = parts.create(stoplog.storage.NewPart("b", "p", mine))
    output.write("#\nold\n".getBytes, 0, 6)
    Samples.withRows(open("p", token = output.persist().token, validBytes = 6))(
      _.copy(firstEventTimeMillis = firstEventTimeMillis)
    )
  }
}

private object EventTimeSuite {

  object Times extends OpenPartWriter.RowTimes[String] {
    override def isMissing(row: String): Boolean = row == "none"
    override def micros(row: String): Long       = row.stripPrefix("bad ").toLong * 1000 + 999
  }

  object TimedLines extends RowPartFormat[String] {
    override def start(out: java.io.OutputStream): Unit                = Lines.start(out)
    override def openMember(out: java.io.OutputStream): Option[Member] = None

    override def encode(row: String, out: java.io.OutputStream): Unit =
      if (row.startsWith("bad")) throw new BadRow(new IllegalArgumentException(row))
      else Lines.encode(row, out)
  }
}
