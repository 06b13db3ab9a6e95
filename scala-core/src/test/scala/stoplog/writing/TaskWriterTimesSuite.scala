// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.collection.mutable
import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.commit.{Lines, ManualClock, MemoryParts, MemorySpoolFiles, Rolls}
import stoplog.plan.{Attempt, TaskPlan}
import stoplog.rolling.{DefaultRollingPolicy, PartStats, RollReason, RollingPolicy}
import stoplog.thread.Clock

/** What a task knows of the time at which its rows come, although it does not read the clock for each. */
class TaskWriterTimesSuite extends AnyFunSuite {

  private final class Read(var readings: Int = 0) extends Clock {
    val time = new ManualClock(1000)

    override def millis(): Long = {
      readings += 1
      time.millis()
    }

    override def elapsedMillis(): Long = time.elapsedMillis()
  }

  private def task(
      clock: Clock,
      policy: RollingPolicy = Rolls.never,
      checkBucket: String => Unit = _ => ()
  ): TaskWriter[String] =
    TaskWriters.of(
      TaskPlan(mine, 5, 0, Attempt.First, Vector.empty, firstPart = 1, stride = 1),
      new MemoryParts,
      Lines,
      policy,
      clock,
      new MemorySpoolFiles,
      checkBucket = checkBucket
    )

  test("a task reads the clock once per sixteen rows if rows arrive fast") {
    val clock  = new Read()
    val writer = task(clock)
    (1 to 1600).foreach(n => writer.write("b", s"row $n"))
    assert(clock.readings >= 100 && clock.readings <= 104)
    assert(writer.commit().open.map(_.records) === Vector(1600))
  }

  test("a policy with limits only does not make the task read the clock for each change of the bucket") {
    val clock  = new Read()
    val writer = task(clock, DefaultRollingPolicy())
    (1 to 1600).foreach(n => writer.write(s"b${n % 24}", s"row $n"))
    assert(clock.readings >= 100 && clock.readings <= 104 + 24, "and once for each part that is opened")
  }

  test("no part is known to be written earlier than it was, whatever the order of buckets and pauses") {
    for (seed <- 1 to 200) {
      val random  = new Random(seed)
      val clock   = new Read()
      val writer  = task(clock, DefaultRollingPolicy().withMaxRecordsPerPart(40))
      val written = mutable.Map.empty[String, Long]
      (1 to 300).foreach { n =>
        if (random.nextInt(20) == 0) clock.time.advance(random.nextInt(3000).toLong)
        val bucket = s"b${random.nextInt(5)}"
        writer.write(bucket, s"row $n")
        written(bucket) = clock.time.millis()
      }
      clock.time.advance(7)
      for (part <- writer.commit().open) {
        assert(part.lastWrittenAtMillis >= written(part.bucket), s"seed $seed, ${part.bucket}")
        assert(part.lastWrittenAtMillis <= clock.time.millis())
      }
    }
  }

  test("a part with rows until the end of the epoch was last written then") {
    val clock  = new Read()
    val writer = task(clock, DefaultRollingPolicy().withInactivityIntervalMillis(60000))
    (1 to 10).foreach { n =>
      if (n > 2) clock.time.advance(20000)
      writer.write("b", s"row $n")
    }
    val part = writer.commit().open.head
    assert((part.openedAtMillis, part.lastWrittenAtMillis) === ((1000L, 161000L)))
  }

  test("a row after a bad row and a pause is not known to be written earlier") {
    val clock  = new Read()
    val writer =
      task(clock, DefaultRollingPolicy().withInactivityIntervalMillis(60000), checkBucket = refuseBad)
    writer.write("good", "row")
    intercept[BadRow](writer.write("bad", "row"))
    clock.time.advance(600000)
    writer.write("good", "later")
    assert(writer.commit().open.map(_.lastWrittenAtMillis) === Vector(601000L))
  }

  private def refuseBad(bucket: String): Unit =
    if (bucket == "bad") throw new BadRow(new IllegalArgumentException(bucket))

  private val byTime: RollingPolicy = new RollingPolicy {
    override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
      Option.when(part.openedAtMillis < 2000 && nowMillis >= 2000)(RollReason.Custom("two o'clock"))

    override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
  }

  test("a part without further rows has the time of the next reading of the clock") {
    for ((policy, time) <- Seq(byTime -> 1600L, DefaultRollingPolicy() -> 1700L)) {
      val clock  = new Read()
      val writer = task(clock, policy)
      writer.write("one", "row")
      writer.write("one", "as fast")
      clock.time.advance(500)
      writer.write("one", "late, and the clock is not read")
      clock.time.advance(100)
      writer.write("two", "row")
      clock.time.advance(100)
      val written = writer.commit().open.map(part => part.bucket -> part.lastWrittenAtMillis).toMap
      assert(written === Map("one" -> time, "two" -> time.max(1600L)))
    }
  }

  test("a time-based policy closes a part on time if rows arrive slowly") {
    val clock  = new Read()
    val writer = task(clock, byTime)
    (1 to 200).foreach { n =>
      writer.write("b", s"row $n")
      clock.time.advance(10)
    }
    assert(writer.commit().closed.map(_.records) === Vector(100))
  }

  test("a time-based policy is at most fifteen rows late after fast rows") {
    for (before <- 1 to 40) {
      val clock  = new Read()
      val writer = task(clock, byTime)
      (1 to before).foreach(n => writer.write("b", s"row $n"))
      clock.time.advance(1000)
      (1 to 40).foreach(n => writer.write("b", s"later $n"))
      val first = writer.commit().closed.head
      assert(first.records >= before && first.records <= before + 15)
    }
  }
}
