// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, Finished}
import stoplog.format.SparkSessionForTests

/** What the end of a query leaves invisible, and what the views show of it. */
class FinishedSuite extends AnyFunSuite with SparkSessionForTests {

  test("a query that has ended by itself leaves no row invisible") {
    val place = new TestDirectory
    val query = writer(place, rows("ant", "bat")).trigger(Trigger.AvailableNow()).start()
    query.awaitTermination()
    assert(finished(query) === Finished(inTime = true, openParts = 0, rows = 0, bytes = 0))
    assert(finished(query).isComplete && place.lines === Seq("ant", "bat"))
  }

  test("a stopped query reports its open parts with rows and bytes") {
    val place = new TestDirectory
    val query = writer(place, rows("ant", "bat")).start()
    query.processAllAvailable()
    query.stop()
    assert(finished(query) === Finished(inTime = true, openParts = 1, rows = 2, bytes = 8))
    assert(!finished(query).isComplete && place.files.isEmpty)
  }

  test("an active query is not finished in time") {
    val place = new TestDirectory
    val query = writer(place, rows("ant")).start()
    try {
      query.processAllAvailable()
      assert(FileSink.awaitFinished(query, timeoutMillis = 0) === Finished(inTime = false, 1, 1, 4))
    } finally query.stop()
  }

  test("an interrupted micro-batch is not finished, because the next start repeats its rows") {
    val place = new TestDirectory
    val query = writer(place, rows("wait").toDS().map(FinishedSuite.wait _)(strings).toDF()).start()
    FinishedSuite.reached.await()
    query.stop()
    assert(finished(query) === Finished(inTime = false, 0, 0, 0))
  }

  test("a query into a table of the catalog reports the table's sink") {
    spark.sql("CREATE TABLE finished_table (value STRING) USING stoplog OPTIONS (format 'text')")
    try {
      val query = rows("ant")
        .toDF()
        .writeStream
        .option("checkpointLocation", (new TestDirectory).checkpoint)
        .toTable("finished_table")
      query.processAllAvailable()
      query.stop()
      assert(finished(query) === Finished(inTime = true, 1, 1, 4))
      assert(query.lastProgress.sink.description.matches("stoplog\\[.*finished_table\\]"))
    } finally spark.sql("DROP TABLE finished_table")
  }

  test("a query whose log cannot be read is ours, and is not finished in time") {
    val place = new TestDirectory
    val query = writer(place, rows("ant")).start()
    try {
      query.processAllAvailable()
      val log    = Path.of(place.out, "_stoplog/main/log")
      val newest = log.toFile.list().filter(_.endsWith(".commit")).max
      Files.write(log.resolve(newest), Array.emptyByteArray)
      FileSink.refuseOther(query)
      assert(FileSink.awaitFinished(query, timeoutMillis = 0) === Finished(inTime = false, 0, 0, 0))
    } finally query.stop()
  }

  for (sink <- Seq("noop", "foreachBatch"))
    test(s"a query with the sink $sink is refused") {
      val source = rows("ant").toDF().writeStream
      val query  =
        if (sink == "noop") source.format("noop").start()
        else source.foreachBatch((_: DataFrame, _: Long) => ()).start()
      try {
        val error = intercept[IllegalArgumentException with SparkThrowable](finished(query))
        assert(error.getCondition === "STOPLOG_NOT_A_STOPLOG_QUERY")
      } finally query.stop()
    }

  test("a closed part counts as open until its record is carried out") {
    val place = new TestDirectory
    val query = writer(place, rows("ant")).trigger(Trigger.AvailableNow()).start()
    query.awaitTermination()
    assert(finished(query).isComplete && open(place).isEmpty)
    val log    = Path.of(place.out, "_stoplog/main/log")
    val newest = log.toFile.list().filter(_.endsWith(".commit")).max.stripSuffix(".commit")
    Files.delete(log.resolve(s"$newest.published")) // as if the driver had died after the decision
    assert(open(place).map(_.getAs[Long]("records")) === Seq(1L))
    assert(finished(query) === Finished(inTime = true, openParts = 1, rows = 1, bytes = 4))
  }

  test("a view of a sink id without a log is refused with the ids that exist") {
    val place = new TestDirectory
    for (id <- Seq("two", "one")) {
      val query = writer(place, rows("ant"))
        .option("sinkId", id)
        .option("checkpointLocation", s"${place.checkpoint}-$id")
        .trigger(Trigger.AvailableNow())
        .start()
      query.awaitTermination()
      finished(query)
    }
    assert(open(place, "one").isEmpty)
    for {
      view <- Seq("open", "parts", "epochs", "buckets")
      id   <- Seq("main", "typo")
    } {
      val error = intercept[IllegalArgumentException with SparkThrowable](look(place, view, id).collect())
      assert(error.getCondition === "STOPLOG_SINK_UNKNOWN")
      assert(error.getMessage.contains("ids: one, two"), error.getMessage)
    }
  }

  test("a view of a path without any log has no rows") {
    val place = new TestDirectory
    Files.createDirectories(Path.of(place.out))
    assert(open(place).isEmpty)
  }

  private def finished(query: StreamingQuery): Finished = FileSink.awaitFinished(query, 300000)

  private def open(place: TestDirectory, id: String = "main"): Seq[Row] =
    look(place, "open", id).collect().toSeq

  private def look(place: TestDirectory, view: String, id: String): DataFrame =
    spark.read.format("stoplog").option("view", view).option("sinkId", id).load(place.out)

  private def writer(place: TestDirectory, input: MemoryStream[String]): DataStreamWriter[Row] =
    writer(place, input.toDF())

  private def writer(place: TestDirectory, rows: DataFrame): DataStreamWriter[Row] =
    SinkRuns.writer(rows, place.out, place.checkpoint, "auto")

  private def rows(values: String*): MemoryStream[String] = {
    val input = MemoryStream[String](strings, spark)
    input.addData(values)
    input
  }

  private def strings = spark.implicits.newStringEncoder
}

private object FinishedSuite {
  val reached = new CountDownLatch(1)

  /** Waits until Spark kills the task. */
  def wait(row: String): String = {
    reached.countDown()
    new CountDownLatch(1).await()
    row
  }
}
