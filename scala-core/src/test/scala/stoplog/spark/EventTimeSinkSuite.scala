// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests
import stoplog.{FileSink, FileSinkBuilder}

/** Parts that are closed by a column of their rows, or by that of the query's watermark. */
class EventTimeSinkSuite extends AnyFunSuite with SparkSessionForTests {
  private val columns = Seq(
    "timestamp_seconds(second) AS at",
    "CAST(timestamp_seconds(second) AS TIMESTAMP_NTZ) AS local",
    "date_add(DATE'2026-01-01', CAST(second / 60 AS INT)) AS day",
    "second"
  )

  test("a part that a restart resumes closes relative to its own first row") {
    for (format <- Seq("csv", "parquet")) {
      val place            = new TestDirectory
      val stream           = memory
      def run(rows: Long*) = {
        stream.addData(rows)
        SinkRuns.run(
          SinkRuns.writer(
            timed(stream.toDF().toDF("second")),
            place.out,
            place.checkpoint,
            "never",
            Map("format" -> format, "eventTimeInterval" -> "60s", "eventTimeColumn" -> "at")
          )
        )
      }
      run(1000, 1030)
      assert(place.files.isEmpty)
      run(1059, 990, 1060, 1100)
      assert(seconds(place, format) === Set(Seq(1000, 1030, 1059, 990)), format)
      run(1120)
      assert(seconds(place, format) === Set(Seq(1000, 1030, 1059, 990), Seq(1060, 1100)), format)
      assert(place.reasons(spark) === Seq("eventTime", "eventTime"))
    }
  }

  test("event times are read from a column of any time type with optional values") {
    val rows = timed(spark.sql("SELECT explode(array(10L, null, 69L, 70L, 5L, 130L)) AS second")).coalesce(1)
    for ((column, interval) <- Seq("at" -> "60s", "LOCAL" -> "60s", "day" -> "1d")) {
      val place = new TestDirectory
      csv(place, interval).withEventTimeColumn(column).build().write(rows).mode("append").save()
      val found =
        if (column == "day") Set(Seq(10), Seq(69, 70, 5), Seq(130))
        else Set(Seq(10, 69), Seq(70, 5), Seq(130))
      assert(seconds(place, "csv") === found, column)
    }
  }

  test("without a configured column, the column of the query's watermark provides event time") {
    val place  = new TestDirectory
    val stream = memory
    stream.addData(0L, 59L, 60L)
    val rows = timed(stream.toDF().toDF("second")).withWatermark("at", "10 minutes")
    SinkRuns.run(
      SinkRuns.writer(
        rows,
        place.out,
        place.checkpoint,
        "always",
        Map("format" -> "csv", "eventTimeInterval" -> "60s")
      )
    )
    assert(seconds(place, "csv") === Set(Seq(0, 59), Seq(60)))
  }

  test("rejects rows without event time and unsuitable columns before any write") {
    val rows    = timed(spark.range(3).toDF("second"))
    val refused = Seq(
      csv(new TestDirectory, "1m")                                -> "STOPLOG_OPTION_COLUMN",
      csv(new TestDirectory, "1m").withEventTimeColumn("second")  -> "STOPLOG_OPTION_COLUMN",
      csv(new TestDirectory, "1m").withEventTimeColumn("nowhere") -> "STOPLOG_OPTION_COLUMN"
    )
    for ((sink, condition) <- refused) {
      val found = sink.build().check(rows).findings.find(_.name == "rollingPolicy")
      assert(found.exists(_.level == "problem"), condition)
      val error = intercept[SparkThrowable](sink.build().write(rows).mode("append").save())
      assert(error.getCondition === condition)
    }
    val right = csv(new TestDirectory, "1m").withEventTimeColumn("at").build().check(rows)
    assert(!right.findings.exists(_.name == "rollingPolicy"))
  }

  test("a custom assigner receives the time of the configured column") {
    val place = new TestDirectory
    val sink  = FileSink
      .forRowFormat(place.out, "csv")
      .withBucketAssigner(new ByTimes)
      .withEventTimeColumn("at")
      .build()
    sink.write(timed(spark.range(2, 3).toDF("second"))).mode("append").save()
    assert(place.directories === Set("at=2000-none"))
  }

  private def timed(rows: DataFrame): DataFrame = rows.selectExpr(columns: _*)

  private def csv(place: TestDirectory, interval: String): FileSinkBuilder =
    FileSink
      .forRowFormat(place.out, "csv")
      .withOption("bucketAssigner", "basePath")
      .withOption("eventTimeInterval", interval)

  private def memory: MemoryStream[Long] = MemoryStream[Long](spark.implicits.newLongEncoder, spark)

  /** Of each file, in order; without those of rows that have none. */
  private def seconds(place: TestDirectory, format: String): Set[Seq[Int]] = place.files.map { file =>
    if (format == "csv")
      Files.readAllLines(file).asScala.map(_.split(",", -1).last).filter(_.matches("\\d+")).map(_.toInt).toSeq
    else spark.read.format(format).load(file.toString).collect().map(_.getAs[Long]("second").toInt).toSeq
  }.toSet
}
