// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.{Instant, ZoneId}

import org.apache.spark.sql.types.{DateType, IntegerType, StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

class BucketEndsSuite extends AnyFunSuite {

  private val berlin = ZoneId.of("Europe/Berlin")
  private val schema = new StructType()
    .add("id", IntegerType)
    .add("country", StringType)
    .add("day", DateType)
    .add("other_day", DateType)

  private def ends(zone: ZoneId, columns: String*): Either[String, BucketEnds.Ends] =
    BucketEnds.of(Bucketing.PartitionColumns(columns), schema, zone)

  private def end(zone: ZoneId, bucket: String): Option[Instant] =
    ends(zone, bucket.split('/').map(_.takeWhile(_ != '=')).toSeq: _*).toOption
      .flatMap(_(bucket))
      .map(Instant.ofEpochMilli)

  test("the bucket of a date ends with the day in the zone, across clock changes") {
    val expected = Seq(
      "2026-01-31" -> "2026-01-31T23:00:00Z",
      "2026-03-28" -> "2026-03-28T23:00:00Z",
      "2026-03-29" -> "2026-03-29T22:00:00Z", // of 23 hours
      "2026-07-01" -> "2026-07-01T22:00:00Z",
      "2026-10-24" -> "2026-10-24T22:00:00Z",
      "2026-10-25" -> "2026-10-25T23:00:00Z"  // of 25 hours
    )
    for ((day, instant) <- expected)
      assert(end(berlin, s"day=$day") === Some(Instant.parse(instant)), day)
  }

  test("a day ends at the start of the next day if clocks change at midnight") {
    val saoPaulo = ZoneId.of("America/Sao_Paulo") // 2018-11-04 began at 01:00
    assert(end(saoPaulo, "day=2018-11-03") === Some(Instant.parse("2018-11-04T03:00:00Z")))
  }

  test("the date may be at any level of the directories") {
    for (bucket <- Seq("country=de/day=2026-07-01", "day=2026-07-01/country=de"))
      assert(end(berlin, bucket) === Some(Instant.parse("2026-07-01T22:00:00Z")), bucket)
  }

  test("a bucket without a date has no end") {
    for (bucket <- Seq("day=__HIVE_DEFAULT_PARTITION__", "day=2026-02-30"))
      assert(end(berlin, bucket) === None, bucket)
  }

  test("without exactly one date column, buckets have no end, and the reason contains the count") {
    assert(ends(berlin, "country").left.exists(_.endsWith("and has 0")))
    assert(ends(berlin, "day", "other_day").left.exists(_.endsWith("and has 2")))
  }
}
