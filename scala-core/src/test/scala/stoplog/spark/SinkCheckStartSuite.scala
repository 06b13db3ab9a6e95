// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Path

import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSinkBuilder}
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** A check has a problem exactly if the start is rejected, with the condition of the start. */
class SinkCheckStartSuite extends AnyFunSuite with SparkSessionForTests {

  test("a new path with the checkpoint of another path") {
    val place = new TestDirectory
    run(place, events, json(place))
    val other = new TestDirectory
    same(events, json(other), checkpoint = place, "STOPLOG_EPOCH_GAP")
  }

  test("another time zone of directories") {
    val place            = new TestDirectory
    def in(zone: String) =
      FileSink.forRowFormat(place.out, "json").withOption("bucketColumn", "at").withOption("timeZone", zone)
    run(place, events, in("UTC"))
    same(events, in("Asia/Tokyo"), place, "STOPLOG_SETTINGS_CHANGED")
  }

  test("a column of another type") {
    val place = new TestDirectory
    def sink  = FileSink.forBulkFormat(place.out, "parquet").withOption("bucketAssigner", "basePath")
    run(place, events, sink)
    same(events.selectExpr("at", "CAST(id AS STRING) AS id"), sink, place, "STOPLOG_SCHEMA_CHANGED")
  }

  test("two columns of one name") {
    val place = new TestDirectory
    same(events.selectExpr("id", "id"), json(place), place, "STOPLOG_UNSUPPORTED_COLUMN")
  }

  test("a batch job with another time zone of directories") {
    val place            = new TestDirectory
    def in(zone: String) =
      FileSink.forRowFormat(place.out, "json").withOption("bucketColumn", "at").withOption("timeZone", zone)
    run(place, events, in("UTC"))
    val problems = in("Asia/Tokyo").build().check(events).problems.map(_.what)
    assert(problems.exists(_.contains("STOPLOG_SETTINGS_CHANGED")), problems)
    assert(in("UTC").build().check(events).problems.isEmpty)
  }

  test("a batch job whose first rows have no valid bucket") {
    val place = new TestDirectory
    val rows  = spark.range(1).selectExpr("id", "'' AS word")
    val sink  = FileSink.forRowFormat(place.out, "json").withPartitionBy("word").build()
    assert(sink.check(rows).problems.map(_.what).exists(_.contains("STOPLOG_BUCKET_ID")))
    assert(Thrown.text(intercept[Exception](sink.write(rows).mode("append").save())).contains("BUCKET_ID"))
  }

  /** @param condition of the start, and of the check */
  private def same(
      rows: DataFrame,
      builder: FileSinkBuilder,
      checkpoint: TestDirectory,
      condition: String
  ): Unit = {
    val stream = streamed(checkpoint, rows)
    val sink   = builder.withOption("checkpointLocation", checkpoint.checkpoint).build()
    val found  = sink.check(stream).problems.map(_.what)
    val failed = Try(started(checkpoint, stream, builder).awaitTermination()).failed.get
    assert(Thrown.text(failed).contains(condition))
    assert(found.count(_.contains(condition)) === 1, found)
  }

  private def json(place: TestDirectory): FileSinkBuilder =
    FileSink.forRowFormat(place.out, "json").withOption("bucketAssigner", "basePath")

  private def events: DataFrame =
    spark.range(1).selectExpr("TIMESTAMP '2026-01-31 20:15:00' AS at", "CAST(id AS INT) AS id")

  private def run(place: TestDirectory, rows: DataFrame, builder: FileSinkBuilder): Unit = {
    val query = started(place, streamed(place, rows), builder)
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, 60000))
  }

  /** A stream with the columns of the rows. */
  private def streamed(place: TestDirectory, rows: DataFrame): DataFrame = {
    val input = Path.of(place.checkpoint).resolveSibling("input").toString
    spark.range(1).coalesce(1).write.mode("append").parquet(input)
    spark.readStream
      .schema("id LONG")
      .parquet(input)
      .selectExpr(rows.schema.map { column =>
        s"CAST(${literal(column.name)} AS ${column.dataType.sql}) AS ${column.name}"
      }: _*)
  }

  private def literal(column: String): String =
    if (column == "at") "TIMESTAMP '2026-01-31 20:15:00'" else "id"

  private def started(place: TestDirectory, stream: DataFrame, builder: FileSinkBuilder) = builder
    .build()
    .writeStream(stream)
    .option("checkpointLocation", place.checkpoint)
    .trigger(Trigger.AvailableNow())
    .start()
}
