// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Path
import java.sql.Date
import java.time.Instant

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSinkBuilder}
import stoplog.bucket.DateTimeBucketAssigner
import stoplog.error.Thrown
import stoplog.filesink.{RecordedBuckets, SinkFollowUps}
import stoplog.format.SparkSessionForTests
import stoplog.log.LogRecord
import stoplog.options.{SinkOptions, SparkHadoop}
import stoplog.stores.SinkStorage

/** Directories as readers find them, and as they stay from run to run. */
class LayoutSuite extends AnyFunSuite with SparkSessionForTests {
  private val flinks = "yyyy-MM-dd--HH"

  for (format <- Seq("json", "parquet"))
    test(s"spark.read finds all rows of a sink without configured buckets: $format") {
      val place = new TestDirectory
      run(place, events("2026-01-31 20:15:00", "2026-01-31 21:00:00", null), sink(place, format))
      val read = spark.read.format(format).load(place.out)
      assert(read.count() === 3)
      assert(
        read.where("at IS NOT NULL").orderBy("at").select("dt", "hour").collect().toSeq === Seq(
          Row(Date.valueOf("2026-01-31"), 20),
          Row(Date.valueOf("2026-01-31"), 21)
        )
      )
      assert(read.where("at IS NULL").select("dt", "hour").head() === Row(null, null))
      assert(read.where("dt = '2026-01-31' AND hour = 21").count() === 1)
    }

  test("spark.read finds the rows of a batch without configured buckets") {
    val place = new TestDirectory
    sink(place, "parquet").build().write(events("2026-01-31 20:15:00")).save()
    assert(spark.read.parquet(place.out).select("dt", "hour").head() === Row(Date.valueOf("2026-01-31"), 20))
  }

  test("a new log records its pattern as the default of later runs") {
    val place = new TestDirectory
    run(place, events("2026-01-31 20:15:00"), sink(place))
    assert(pattern(place) === Some(DateTimeBucketAssigner.DefaultPattern))
    val other = new TestDirectory
    run(other, events("2026-01-31 20:15:00"), sink(other).withOption("bucketFormat", "'day='yyyy-MM-dd"))
    run(other, events("2026-02-01 20:15:00"), sink(other))
    assert(other.directories === Set("day=2026-01-31", "day=2026-02-01"))
  }

  test("directories continue in the recorded time zone, also in a batch write") {
    val place = new TestDirectory
    val rows  = events("2026-01-31 20:15:00")
    run(place, rows, sink(place).withOption("bucketTimeZone", "Asia/Tokyo"))
    val before = place.directories
    val said   = LogCapture.of(run(place, rows, sink(place)))
    assert(said.count(_.contains("keep the time zone Asia/Tokyo")) === 1, said)
    sink(place).build().write(rows).mode("append").save()
    assert(place.directories === before && place.files.size === 3)
    val other = sink(place).withOption("bucketTimeZone", "UTC").build()
    val why   = Thrown.text(intercept[Exception](other.write(rows).mode("append").save()))
    assert(why.contains("STOPLOG_SETTINGS_CHANGED") && why.contains("bucketTimeZone"), why)
    assert(place.directories === before)
  }

  test("TIMESTAMP directories continue in the recorded time zone of another session") {
    val place = new TestDirectory
    val rows  = events("2026-01-31 20:15:00")
    def at    = plain(place).withPartitionBy("at")
    in("Asia/Tokyo")(run(place, rows, at))
    val before = place.directories
    in("Europe/Berlin")(run(place, rows, at))
    in("Europe/Berlin")(at.build().write(rows).mode("append").save())
    assert(before.size === 1 && place.directories === before)
    val other = at.withOption("timeZone", "UTC").build()
    val why   = Thrown.text(intercept[Exception](other.write(rows).mode("append").save()))
    assert(why.contains("STOPLOG_SETTINGS_CHANGED") && why.contains("timeZone = Asia/Tokyo"), why)
  }

  test("the day of a DATE directory ends in the recorded time zone of another session") {
    val place   = new TestDirectory
    val rows    = events("2026-01-31 20:15:00").selectExpr("id", "date(at) AS day")
    val options = Map("format" -> "json", "partitionBy" -> "day", "bucketComplete" -> "processingTime")
    def days    = options.foldLeft(plain(place)) { case (sink, (key, value)) => sink.withOption(key, value) }
    def end     = {
      val parsed  = SinkOptions.parse(options + ("path" -> place.out))
      val resumed = RecordedBuckets.resumed(parsed, Some(newest(place)))
      SinkFollowUps.rule(resumed, rows.schema).endMillis("day=2026-01-31").map(Instant.ofEpochMilli)
    }
    in("Asia/Tokyo")(run(place, rows, days))
    in("Europe/Berlin") {
      run(place, rows, days)
      assert(end === Some(Instant.parse("2026-01-31T15:00:00Z")))
      run(place, rows, days.withOption("timeZone", "UTC"))
      assert(end === Some(Instant.parse("2026-02-01T00:00:00Z")))
    }
  }

  test("a change of bucketing is reported once, in a single line") {
    val place  = new TestDirectory
    val ids    = plain(place).withPartitionBy("id")
    val days   = plain(place).withBucketBy("concat('day=', date(at))")
    val change =
      "New buckets have the layout bucketBy = concat('day=', date(at)), and existing buckets have partitionBy = id."
    def said(builder: FileSinkBuilder): Seq[String] =
      LogCapture
        .of(run(place, events("2026-01-31 20:15:00"), builder))
        .filter(_.contains("New buckets have the layout"))
    for (builder <- Seq(ids, ids)) assert(said(builder) === Nil)
    assert(said(days).map(_.contains(change)) === Seq(true))
    assert(place.directories === Set("id=0", "day=2026-01-31"))
    assert(said(days) === Nil)
  }

  test("a pattern other than the recorded pattern is allowed and reported in a single line") {
    val place = new TestDirectory
    run(place, events("2026-01-31 20:15:00"), sink(place))
    val daily = sink(place).withOption("bucketFormat", "'dt='yyyy-MM-dd")
    val said  = LogCapture.of(run(place, events("2026-02-01 20:15:00"), daily))
    assert(place.directories === Set("hour=20", "dt=2026-02-01"))
    assert(said.count(_.contains("bucketFormat = 'dt='yyyy-MM-dd, and existing buckets")) === 1, said)
    assert(pattern(place) === Some("'dt='yyyy-MM-dd"))
    assert(
      !LogCapture.of(run(place, events("2026-02-02 20:15:00"), daily)).exists(_.contains("existing buckets"))
    )
  }

  test("buckets that spark.read cannot find are reported once per run") {
    def said(rows: DataFrame, choose: FileSinkBuilder => FileSinkBuilder): Seq[String] = {
      val place = new TestDirectory
      LogCapture.of(run(place, rows, choose(plain(place)))).filter(_.contains("spark.read"))
    }
    val rows    = events("2026-01-31 20:15:00", "2026-02-01 20:15:00")
    val unaided = Seq[FileSinkBuilder => FileSinkBuilder](
      _.withOption("bucketFormat", flinks),
      _.withBucketBy("date(at)"),
      _.withBucketAssigner(new DateTimeBucketAssigner(flinks))
    )
    for (choose <- unaided) {
      val lines = said(rows, choose)
      assert(lines.size === 1)
      assert(lines.head.contains("'dt='yyyy-MM-dd'/hour='HH"))
    }
    val found = Seq[FileSinkBuilder => FileSinkBuilder](
      identity,
      _.withBucketBy("concat('day=', date(at))"),
      _.withPartitionBy("id"),
      _.withOption("bucketAssigner", "basePath")
    )
    for (choose <- found) assert(said(rows, choose) === Nil)
    assert(said(events(null), _.withBucketBy("concat('day=', date(at))")).exists(_.contains("coalesce")))
  }

  test("warns about a column that rows and directories both contain") {
    val place = new TestDirectory
    val rows  = events("2026-01-31 20:15:00").withColumnRenamed("id", "hour")
    assert(LogCapture.of(run(place, rows, sink(place))).count(_.contains("also have a column hour")) === 1)
    assert(sink(place).build().check(rows).warnings.map(_.name).contains("buckets"))
  }

  private def plain(place: TestDirectory): FileSinkBuilder = FileSink.forRowFormat(place.out, "json")

  /** Buckets by the rows' own time. */
  private def sink(place: TestDirectory, format: String = "json"): FileSinkBuilder =
    FileSink.forBulkFormat(place.out, format).withOption("bucketColumn", "at")

  private def events(times: String*): DataFrame = spark
    .createDataFrame(times.zipWithIndex.map { case (at, id) => (at, id) })
    .selectExpr("CAST(_1 AS TIMESTAMP) AS at", "_2 AS id")

  /** Streams one file of rows. */
  private def run(place: TestDirectory, rows: DataFrame, builder: FileSinkBuilder): Unit = {
    val input = Path.of(place.checkpoint).resolveSibling("input").toString
    rows.coalesce(1).write.mode("append").parquet(input)
    val stream = spark.readStream.schema(rows.schema).parquet(input)
    val query  = builder
      .build()
      .writeStream(stream)
      .option("checkpointLocation", place.checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, 60000))
  }

  private def in(zone: String)(body: => Unit): Unit = {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try body
    finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  private def newest(place: TestDirectory): LogRecord =
    SinkStorage.reading(place.out, "main", SparkHadoop.configuration).log.newest().get

  private def pattern(place: TestDirectory): Option[String] = newest(place).state.settings.get("bucketFormat")

  /** The newest record as a release has left it that recorded no pattern. */
}
