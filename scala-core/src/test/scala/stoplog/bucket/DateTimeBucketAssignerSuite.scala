// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.format.DateTimeFormatter
import java.time.{Instant, LocalDate, LocalDateTime, ZoneId, ZoneOffset}
import java.util.Locale
import java.util.concurrent.TimeUnit.SECONDS

import scala.util.Random

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.TaskSerialization

class DateTimeBucketAssignerSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL("id INT, at TIMESTAMP, local TIMESTAMP_NTZ, day DATE, name STRING")
  private val utc    = ZoneOffset.UTC
  private val berlin = ZoneId.of("Europe/Berlin")

  private final class Clock(var processingTimeMillis: Long) extends BucketContext

  private def opened(assigner: BucketAssigner): BucketAssigner = {
    val inTask = TaskSerialization.toTask(assigner)
    inTask.open(schema)
    inTask
  }

  private def processed(assigner: BucketAssigner, at: String): String =
    opened(assigner).bucket(InternalRow(1), new Clock(Instant.parse(at).toEpochMilli))

  private def micros(instant: Instant): Long = instant.getEpochSecond * 1000000L + instant.getNano / 1000

  private def failure(body: => Any): SparkThrowable = intercept[Exception](body).asInstanceOf[SparkThrowable]

  test("the default bucket is the hour of processing in UTC") {
    assert(processed(new DateTimeBucketAssigner(), "2026-01-31T23:59:59.999Z") === "dt=2026-01-31/hour=23")
    assert(processed(new DateTimeBucketAssigner(), "2026-02-01T00:00:00Z") === "dt=2026-02-01/hour=00")
    assert(processed(new DateTimeBucketAssigner(), "1969-12-31T23:30:00Z") === "dt=1969-12-31/hour=23")
  }

  test("the zone shifts the hour and the day") {
    assert(
      processed(new DateTimeBucketAssigner(zone = berlin), "2026-01-31T23:00:00Z") === "dt=2026-02-01/hour=00"
    )
    assert(
      processed(
        new DateTimeBucketAssigner("yyyy/MM/dd", ZoneId.of("Asia/Kolkata")),
        "2026-01-31T18:30:00Z"
      ) === "2026/02/01"
    )
  }

  test("a timestamp column is an instant, formatted in the zone") {
    val assigner = opened(new DateTimeBucketAssigner(zone = berlin, column = Some("at")))
    val row      = InternalRow(1, micros(Instant.parse("2026-07-01T22:30:00.5Z")), null, null, null)
    assert(assigner.bucket(row, new Clock(0)) === "dt=2026-07-02/hour=00")
  }

  test("timestamps without zone and dates are formatted unchanged in any zone") {
    val local = micros(LocalDateTime.parse("2026-07-01T22:30:00").toInstant(utc))
    val row   = InternalRow(1, null, local, LocalDate.parse("2026-07-01").toEpochDay.toInt, null)
    for (zone <- Seq(utc, berlin, ZoneId.of("America/New_York"))) {
      assert(
        opened(new DateTimeBucketAssigner(zone = zone, column = Some("local")))
          .bucket(row, null) === "dt=2026-07-01/hour=22"
      )
      assert(
        opened(new DateTimeBucketAssigner(zone = zone, column = Some("DAY")))
          .bucket(row, null) === "dt=2026-07-01/hour=00"
      )
    }
  }

  test("the pattern argument produces Flink's name of an hour") {
    assert(
      processed(new DateTimeBucketAssigner("yyyy-MM-dd--HH"), "2026-01-31T23:59:59Z") === "2026-01-31--23"
    )
  }

  test("a null time has a separate bucket, with column names if other buckets have them") {
    val buckets = Seq(
      DateTimeBucketAssigner.DefaultPattern -> "dt=__HIVE_DEFAULT_PARTITION__/hour=__HIVE_DEFAULT_PARTITION__",
      "'day='yyyy-MM-dd"    -> "day=__HIVE_DEFAULT_PARTITION__",
      "'day='yyyy-MM-dd/HH" -> "null",
      "yyyy-MM-dd--HH"      -> "null"
    )
    for ((pattern, bucket) <- buckets) {
      val assigner = opened(new DateTimeBucketAssigner(pattern, column = Some("at")))
      assert(assigner.bucket(InternalRow(1, null, null, null, null), new Clock(0)) === bucket)
      assert(BucketId.problem(bucket).isEmpty)
    }
  }

  test("rows of the same hour get the same String, also if hours alternate") {
    val assigner         = opened(new DateTimeBucketAssigner(column = Some("at")))
    def at(text: String) =
      assigner.bucket(InternalRow(1, micros(Instant.parse(text)), null, null, null), new Clock(0))
    val first = at("2026-01-31T10:00:00Z")
    val other = at("2026-01-31T11:00:00Z")
    assert(at("2026-01-31T10:59:59.999999Z") eq first)
    assert(at("2026-01-31T11:59:59.999999Z") eq other)
    assert(at("2026-01-31T10:30:00Z") eq first)
  }

  // The oracle formats every single time; the assigner may remember as much as it likes.
  private val patterns = Seq(
    DateTimeBucketAssigner.DefaultPattern,
    "yyyy-MM-dd--HH",
    "yyyy/MM/dd",
    "yyyy-'W'ww",
    "HH-mm",
    "HH-mm-ss",
    "HH--ss",
    "ss.SSS",
    "ss.SSSSSS",
    "N",
    "A",
    "h a",
    "h B",
    "yyyy",
    "HH zzz",
    "HH xxxxx",
    "VV",
    "'mmss'HH",
    "''HH''",
    "G yyyy QQQ",
    "yyyyDDD[ HH]"
  ).map(_.replace("VV", "'z'HH"))

  private val zones = Seq(
    "UTC", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kathmandu",
    "Europe/Dublin", "Pacific/Apia", "Africa/Monrovia", "+01:23:45"
  ).map(ZoneId.of)

  test("the bucket equals the formatter's result for any pattern, zone and order of times") {
    val random = new Random(11)
    for {
      pattern <- patterns
      zone    <- zones
    } {
      val assigner  = opened(new DateTimeBucketAssigner(pattern, zone, Some("at")))
      val formatter = DateTimeFormatter.ofPattern(pattern, Locale.US).withZone(zone)
      for (time <- times(random, zone)) {
        val micro   = micros(time)
        val exactly = Instant.ofEpochSecond(0, micro * 1000)
        assert(
          assigner.bucket(InternalRow(1, micro, null, null, null), null) === formatter.format(exactly),
          s"for $pattern in $zone at $exactly"
        )
      }
    }
  }

  private def times(random: Random, zone: ZoneId): Seq[Instant] = {
    val start  = Instant.parse("1890-01-01T00:00:00Z")
    val span   = SECONDS.convert(160L * 365, java.util.concurrent.TimeUnit.DAYS)
    val spread = Seq.fill(75)(
      start.plusSeconds((random.nextDouble() * span).toLong).plusNanos(random.nextInt(1000000) * 1000L)
    )
    val edges = for {
      from       <- spread.take(25)
      transition <- Option(zone.getRules.nextTransition(from)).toSeq
      seconds    <- Seq(-5400L, -1800L, -1L, 0L, 1L, 1799L, 3600L, 5400L)
    } yield transition.getInstant.plusSeconds(seconds)
    val steady = Seq.iterate(spread.head, 150)(_.plusNanos(400L * 1000 * 1000 * 1000))
    random.shuffle(spread ++ edges) ++ edges ++ steady
  }

  test("the first and last instants of Spark have a bucket") {
    val assigner = opened(new DateTimeBucketAssigner("yyyyyy-MM-dd", berlin, Some("at")))
    for (micro <- Seq(Long.MinValue / 10, -62135596800000000L, 253402300799999999L, Long.MaxValue / 10))
      assert(BucketId.problem(assigner.bucket(InternalRow(1, micro, null, null, null), null)).isEmpty)
  }

  test("invalid patterns and patterns without a directory are rejected by the constructor") {
    for (
      pattern <- Seq(
        "yyyy-MM-dd'", "bucket", "yyyy{", "'..'", "/yyyy", "yyyy//MM", "'_'yyyy", "yyyy/", "'.'HH"
      )
    )
      assert(failure(new DateTimeBucketAssigner(pattern)).getCondition === "STOPLOG_INVALID_OPTIONS", pattern)
  }

  test("an empty pattern gives the base path") {
    assert(processed(new DateTimeBucketAssigner(""), "2026-01-31T23:00:00Z") === BucketId.Base)
  }

  test("missing columns and columns without a time are rejected") {
    for (column <- Seq("nope", "id", "name", "at.x")) {
      val e = failure(new DateTimeBucketAssigner(column = Some(column)).open(schema))
      assert(e.getCondition === "STOPLOG_OPTION_COLUMN")
      assert(e.getMessageParameters.get("setting") === s"bucketColumn = $column")
    }
    val twice = StructType.fromDDL("a INT").add("At", "timestamp").add("aT", "timestamp")
    assert(
      failure(
        new DateTimeBucketAssigner(column = Some("at")).open(twice)
      ).getCondition === "STOPLOG_OPTION_COLUMN"
    )
    new DateTimeBucketAssigner(column = Some("aT")).open(twice)
  }

  test("a pattern with a zone is rejected for a column without a zone") {
    for (column <- Seq("local", "day"))
      assert(
        failure(
          new DateTimeBucketAssigner("HH VV", utc, Some(column)).open(schema)
        ).getCondition === "STOPLOG_INVALID_OPTIONS"
      )
    new DateTimeBucketAssigner("HH 'VV'", utc, Some("local")).open(schema)
    new DateTimeBucketAssigner("HH XXX", utc, Some("at")).open(schema)
  }

  test("the base path assigner assigns every row to the base path") {
    assert(opened(new BasePathBucketAssigner).bucket(InternalRow(1), new Clock(0)) === BucketId.Base)
  }
}
