// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.scalatest.funsuite.AnyFunSuite

class RollingPolicySuite extends AnyFunSuite {

  import RollingPolicySuite.Part

  private val policy = DefaultRollingPolicy()
    .withMaxPartSizeBytes(10)
    .withRolloverIntervalMillis(10)
    .withInactivityIntervalMillis(4)

  test("the defaults are 128 MiB, no limit of records, 15 minutes, 5 minutes") {
    val default = DefaultRollingPolicy()
    assert(default.maxPartSizeBytes === 134217728L)
    assert(default.maxRecordsPerPart === None)
    assert(default.rolloverIntervalMillis === 900000L)
    assert(default.inactivityIntervalMillis === 300000L)
    assert(default.eventTimeIntervalMillis === None)
  }

  test("size: a part at the limit stays open and closes with a byte more") {
    for (ask <- Seq[PartStats => Option[RollReason]](policy.beforeRow(_, 0), policy.onEpochEnd(_, 0))) {
      assert(ask(Part(sizeBytes = 10)) === None)
      assert(ask(Part(sizeBytes = 11)) === Some(RollReason.Size))
    }
  }

  test("records: a part at the limit accepts no further row") {
    val two = policy.withMaxRecordsPerPart(2)
    assert(two.beforeRow(Part(records = 1), 0) === None)
    assert(two.beforeRow(Part(records = 2), 0) === Some(RollReason.Records))
    assert(two.onEpochEnd(Part(records = 2), 0) === Some(RollReason.Records))
  }

  test("size takes precedence over records as the reason") {
    val both = policy.withMaxRecordsPerPart(2)
    assert(both.beforeRow(Part(sizeBytes = 11, records = 2), 0) === Some(RollReason.Size))
  }

  test("age: a part closes at the limit, even after a recent row") {
    def at(now: Long) = policy.onTime(Part(openedAtMillis = 11, lastWrittenAtMillis = now), now)
    assert(at(20) === None)
    assert(at(21) === Some(RollReason.Age))
  }

  test("inactivity: a part closes at the limit") {
    def at(now: Long) = policy.onTime(Part(openedAtMillis = 0, lastWrittenAtMillis = 2), now)
    assert(at(5) === None)
    assert(at(6) === Some(RollReason.Inactivity))
  }

  test("age takes precedence over inactivity as the reason") {
    assert(policy.onTime(Part(), 10) === Some(RollReason.Age))
  }

  test("size is not checked by the clock, and age is not checked by rows") {
    assert(policy.onTime(Part(sizeBytes = 99), 3) === None)
    assert(policy.beforeRow(Part(), 99) === None)
    assert(policy.onEpochEnd(Part(), 99) === None)
  }

  test("a clock set back closes nothing") {
    assert(policy.onTime(Part(openedAtMillis = 1000, lastWrittenAtMillis = 1000), 0) === None)
  }

  test("the longest intervals never close a part") {
    val never = policy.withRolloverIntervalMillis(Long.MaxValue).withInactivityIntervalMillis(Long.MaxValue)
    assert(never.onTime(Part(), Long.MaxValue - 1) === None)
  }

  test("on checkpoint: only the end of an epoch closes a part") {
    val each = OnCheckpointRollingPolicy()
    assert(each.onEpochEnd(Part(), 0) === Some(RollReason.Checkpoint))
    assert(each.beforeRow(Part(sizeBytes = Long.MaxValue, records = Long.MaxValue), 0) === None)
    assert(each.onTime(Part(), Long.MaxValue) === None)
  }

  test("on checkpoint: size and records also close parts within an epoch") {
    val limited = OnCheckpointRollingPolicy().withMaxPartSizeBytes(10).withMaxRecordsPerPart(5)
    assert(limited.beforeRow(Part(sizeBytes = 10, records = 4), 0) === None)
    assert(limited.beforeRow(Part(sizeBytes = 11), 0) === Some(RollReason.Size))
    assert(limited.beforeRow(Part(records = 5), 0) === Some(RollReason.Records))
    assert(limited.onEpochEnd(Part(sizeBytes = 11), 0) === Some(RollReason.Checkpoint))
  }

  test("a row one event-time interval after the first row closes a part") {
    val hourly           = policy.withEventTimeIntervalMillis(60)
    def of(first: Long)  = Part(firstEventTimeMillis = Some(first))
    def at(millis: Long) = hourly.onEventTime(of(1000), millis)
    assert(at(1059) === None)
    assert(at(1060) === Some(RollReason.EventTime))
    assert(at(Long.MaxValue) === Some(RollReason.EventTime))
    assert(hourly.onEventTime(of(-30), 30) === Some(RollReason.EventTime), "a row of 1969")
  }

  test("late rows, missing event times, the clock and other policies close nothing by event time") {
    val hourly = policy.withEventTimeIntervalMillis(60)
    assert(hourly.onEventTime(Part(firstEventTimeMillis = Some(1000)), 0) === None)
    assert(hourly.onEventTime(Part(), Long.MaxValue) === None)
    assert(hourly.onTime(Part(firstEventTimeMillis = Some(-1000)), 3) === None)
    for (other <- Seq(policy, OnCheckpointRollingPolicy()))
      assert(other.onEventTime(Part(firstEventTimeMillis = Some(0)), Long.MaxValue) === None)
  }

  test("limits of 0 or less are rejected by name") {
    val wrong = Seq[(String, Long => Any)](
      "maxPartSizeBytes"         -> (policy.withMaxPartSizeBytes(_)),
      "maxRecordsPerPart"        -> (policy.withMaxRecordsPerPart(_)),
      "rolloverIntervalMillis"   -> (policy.withRolloverIntervalMillis(_)),
      "inactivityIntervalMillis" -> (policy.withInactivityIntervalMillis(_)),
      "eventTimeIntervalMillis"  -> (policy.withEventTimeIntervalMillis(_)),
      "maxPartSizeBytes"         -> (OnCheckpointRollingPolicy().withMaxPartSizeBytes(_)),
      "maxRecordsPerPart"        -> (OnCheckpointRollingPolicy().withMaxRecordsPerPart(_))
    )
    for {
      (name, set) <- wrong
      value       <- Seq(0L, -1L)
    }
      assert(intercept[IllegalArgumentException](set(value)).getMessage.contains(name))
  }

  test("changing a policy leaves the original unchanged") {
    assert(DefaultRollingPolicy().withMaxPartSizeBytes(1) !== DefaultRollingPolicy())
    assert(DefaultRollingPolicy().maxPartSizeBytes === 134217728L)
  }

  test("policies are serializable") {
    val policies: Seq[RollingPolicy] =
      Seq(
        policy.withMaxRecordsPerPart(3).withEventTimeIntervalMillis(4),
        OnCheckpointRollingPolicy().withMaxPartSizeBytes(7)
      )
    for (p <- policies) {
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(p)
      assert(new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject() === p)
    }
  }

  test("toString shows the kind and the limits of a policy") {
    assert(policy.toString.contains("maxPartSizeBytes=10"))
    assert(policy.withEventTimeIntervalMillis(7).toString.endsWith(", eventTimeIntervalMillis=7)"))
    assert(OnCheckpointRollingPolicy().toString === "OnCheckpointRollingPolicy()")
    assert(
      OnCheckpointRollingPolicy().withMaxPartSizeBytes(7).withMaxRecordsPerPart(3).toString ===
        "OnCheckpointRollingPolicy(maxPartSizeBytes=7, maxRecordsPerPart=3)"
    )
  }

  test("policies are equal if kind and all limits are equal") {
    val each     = OnCheckpointRollingPolicy()
    val policies = Seq(
      policy,
      policy.withMaxRecordsPerPart(1),
      policy.withMaxPartSizeBytes(1),
      policy.withEventTimeIntervalMillis(1),
      policy.withEventTimeIntervalMillis(2),
      each,
      each.withMaxPartSizeBytes(10),
      each.withMaxRecordsPerPart(1),
      each.withMaxPartSizeBytes(10).withMaxRecordsPerPart(1)
    )
    for {
      (a, i) <- policies.zipWithIndex
      (b, j) <- policies.zipWithIndex
    }
      assert((a == b) === (i == j), s"$a and $b")
    assert(each.withMaxRecordsPerPart(1).hashCode === each.withMaxRecordsPerPart(1).hashCode)
  }

  test("every reason is restored from its word, including custom words") {
    import RollReason._
    val words = Map(
      "size"       -> Size,
      "records"    -> Records,
      "age"        -> Age,
      "inactivity" -> Inactivity,
      "eventTime"  -> EventTime,
      "checkpoint" -> Checkpoint,
      "openLimit"  -> OpenLimit,
      "complete"   -> Complete,
      "end"        -> End
    )
    assert(RollReason.named.map(reason => reason.word -> reason).toMap === words)
    for ((word, reason) <- words + ("midnight" -> Custom("midnight")))
      assert(RollReason.fromWord(word) === reason)
  }
}

object RollingPolicySuite {

  private final case class Part(
      sizeBytes: Long = 1,
      records: Long = 1,
      openedAtMillis: Long = 0,
      lastWrittenAtMillis: Long = 0,
      bucket: String = "b",
      override val firstEventTimeMillis: Option[Long] = None
  ) extends PartStats
}
