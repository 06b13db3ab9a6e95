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

  test("the bucket of a date ends with that day in the zone, also when clocks are moved") {
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

  test("where clocks are moved at midnight, a day ends when the next one begins") {
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

  test("with no date column, or two, no bucket has an end, and the reason says how many there are") {
    assert(ends(berlin, "country").left.exists(_.endsWith("and has 0")))
    assert(ends(berlin, "day", "other_day").left.exists(_.endsWith("and has 2")))
  }
}
