// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{Instant, ZoneId, ZoneOffset}

import org.scalatest.funsuite.AnyFunSuite

class DateTimeEndsSuite extends AnyFunSuite {
  private val berlin = ZoneId.of("Europe/Berlin")

  private def end(pattern: String, bucket: String, zone: ZoneId = ZoneOffset.UTC): Option[Instant] =
    BucketEnds.DateTimeEnds.of(pattern, zone).flatMap(_.endMillis(bucket)).map(Instant.ofEpochMilli)

  test("a bucket ends with the finest field of its name") {
    val ends = Seq(
      (DateTimeBucketAssigner.DefaultPattern, "dt=2026-01-31/hour=23", "2026-02-01T00:00:00Z"),
      ("yyyy-MM-dd--HH", "2026-01-31--23", "2026-02-01T00:00:00Z"),
      ("yyyy/MM/dd", "2026/01/31", "2026-02-01T00:00:00Z"),
      ("'day='yyyy-MM-dd", "day=2026-01-31", "2026-02-01T00:00:00Z"),
      ("yyyyMMdd/HH/mm", "20260131/23/59", "2026-02-01T00:00:00Z"),
      ("yyyy-MM-dd HH_mm_ss", "2026-01-31 23_59_59", "2026-02-01T00:00:00Z"),
      ("yyyy-MM", "2026-12", "2027-01-01T00:00:00Z"),
      ("yyyy", "2026", "2027-01-01T00:00:00Z"),
      ("yyyy-'Q'q", "2026-Q2", "2026-07-01T00:00:00Z"),
      ("yyyy-DDD", "2026-031", "2026-02-01T00:00:00Z"),
      ("YYYY-'W'ww", "2026-W05", "2026-02-01T00:00:00Z"), // weeks begin on Sundays, in English
      ("yyyy-MM-dd hh a", "2026-01-31 11 PM", "2026-02-01T00:00:00Z"),
      ("yyyy-MM-dd a", "2026-01-31 PM", "2026-02-01T00:00:00Z")
    )
    for ((pattern, bucket, expected) <- ends)
      assert(end(pattern, bucket) === Some(Instant.parse(expected)), pattern)
  }

  test("a bucket ends by the clock of its zone") {
    assert(end("yyyy-MM-dd", "2026-01-31", berlin) === Some(Instant.parse("2026-01-31T23:00:00Z")))
    assert(end("yyyy-MM-dd", "2026-03-29", berlin) === Some(Instant.parse("2026-03-29T22:00:00Z")))
  }

  test("a repeated hour ends after its second occurrence, and a skipped hour at its start") {
    assert(end("yyyy-MM-dd--HH", "2026-10-25--02", berlin) === Some(Instant.parse("2026-10-25T02:00:00Z")))
    assert(end("yyyy-MM-dd--HH", "2026-03-29--01", berlin) === Some(Instant.parse("2026-03-29T01:00:00Z")))
  }

  test("a name that does not match the pattern has no end") {
    val ofNull = "dt=__HIVE_DEFAULT_PARTITION__/hour=__HIVE_DEFAULT_PARTITION__"
    for (bucket <- Seq(ofNull, "dt=2026-01-31", "2026-01-31--23", "_rejected/dt=2026-01-31/hour=23"))
      assert(end(DateTimeBucketAssigner.DefaultPattern, bucket) === None, bucket)
    for (bucket <- Seq("null", "", "2026-01-31", "2026-13-01--00", "_rejected/2026-01-31--23"))
      assert(end("yyyy-MM-dd--HH", bucket) === None, bucket)
  }

  test("a pattern without a complete date prefix has no ends") {
    for (pattern <- Seq("HH", "MM-dd", "yyyy-dd", "EEEE", "yyyy--HH", "YYYY-MM-dd", "'all'"))
      assert(BucketEnds.DateTimeEnds.of(pattern, ZoneOffset.UTC).isEmpty, pattern)
  }

  test("every row of a bucket is earlier than the bucket's end") {
    for {
      pattern <- Seq(
        DateTimeBucketAssigner.DefaultPattern,
        "yyyy-MM-dd--HH-mm",
        "yyyy-MM-dd",
        "yyyy-MM-dd--HHXX"
      )
      zone <- Seq(ZoneOffset.UTC, berlin, ZoneId.of("Australia/Lord_Howe"), ZoneId.of("America/St_Johns"))
      ends <- BucketEnds.DateTimeEnds.of(pattern, zone)
      names = new DateTimePattern.DateTimeText(DateTimePattern.parse(pattern), zone)
      minute <- 0 until 366 * 24 * 60 by 181 // each minute of the hour in 181 hours
    } {
      val at     = Instant.parse("2026-01-01T00:00:00Z").plusSeconds(minute * 60L)
      val bucket = names.at(at.toEpochMilli * 1000)
      if (!ends.endMillis(bucket).exists(_ > at.toEpochMilli)) fail(s"$at in $bucket of $zone")
    }
  }
}
