// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.format.SparkSessionForTests

/** A query that comes back with other columns, as its user sees it. */
class SchemaChangesSuite extends AnyFunSuite with SparkSessionForTests {

  private val Usual     = Seq("value AS id", "'w' AS word")
  private val Reordered = Seq("'w' AS word", "value AS id")
  private val More      = Seq("1 AS more", "'w' AS word", "value AS id")
  private val Fewer     = Seq("value AS id")

  for (format <- Seq("csv", "parquet"))
    test(s"$format: reordered columns continue the open part, each column in its place") {
      val query = new Restarts(format)
      query.run(Usual)
      query.run(Reordered, "onSchemaChange" -> "fail", "finalizeOnTermination" -> "always")
      assert(query.place.files.size === 1)
      assert(query.rows("id BIGINT, word STRING") === Seq("0,w", "1,w"))
    }

  test("by default, changed columns start new parts, and the log records each part's schema") {
    val query = new Restarts("parquet")
    query.run(Usual)
    query.run(Fewer)
    query.run(More, "finalizeOnTermination" -> "always")
    assert(
      query.parts("schema") === Seq(
        "id BIGINT NOT NULL",
        "id BIGINT NOT NULL,more INT NOT NULL,word STRING NOT NULL",
        "id BIGINT NOT NULL,word STRING NOT NULL"
      )
    )
    assert(query.parts("schema_id").distinct.size === 3)
    assert(query.rows("id BIGINT, word STRING, more INT") === Seq("0,w,null", "1,null,null", "2,w,1"))
  }

  test("additive: added columns follow the former columns") {
    val query = new Restarts("csv")
    query.run(Usual)
    query.run(More, "onSchemaChange" -> "additive", "finalizeOnTermination" -> "always")
    assert(query.place.lines === Seq("0,w", "1,w,1"))
  }

  for (
    (columns, changes) <- Seq(
      Fewer                           -> "removed: word",
      Seq("value AS id", "1 AS word") -> "word INT (was STRING)"
    )
  )
    test(s"additive: rejects other changes before any effect ($changes)") {
      val query = new Restarts("parquet")
      query.run(Usual)
      val before = query.place.everything
      assert(query.refused(columns, "onSchemaChange" -> "additive").contains(changes))
      assert(query.place.everything === before)
      query.run(Usual, "onSchemaChange" -> "additive")
    }

  test("fail: rejects an added column by name in every format, and former columns continue") {
    for (format <- Seq("json", "orc")) {
      val query = new Restarts(format)
      query.run(Usual)
      assert(query.refused(More, "onSchemaChange" -> "fail").contains("added: more INT"))
      query.run(Usual, "onSchemaChange" -> "fail", "finalizeOnTermination" -> "always")
      assert(query.place.files.size === 1)
    }
  }

  test("lines of JSON with other columns continue the open part") {
    val query = new Restarts("json")
    query.run(Usual)
    query.run(Fewer, "finalizeOnTermination" -> "always")
    assert(query.place.lines === Seq("""{"id":0,"word":"w"}""", """{"id":1}"""))
    assert(query.parts("schema") === Seq("id BIGINT NOT NULL"))
  }

  /** One query that is started again and again, with one more row each time. */
  private final class Restarts(format: String) {
    val place = new Place

    private val input = MemoryStream[Long](spark.implicits.newLongEncoder, spark)
    private var next  = 0L

    def run(columns: Seq[String], options: (String, String)*): Unit = {
      input.addData(next)
      next += 1
      val query = start(columns, options)
      try query.processAllAvailable()
      finally {
        query.stop()
        assert(FileSink.awaitFinished(query.runId.toString, timeoutMillis = 300000))
      }
    }

    /** The message of the refusal, which comes with the start. */
    def refused(columns: Seq[String], options: (String, String)*): String = {
      val error = intercept[Exception with SparkThrowable](start(columns, options))
      assert(error.getCondition === "STOPLOG_SCHEMA_CHANGED")
      error.getMessage
    }

    def rows(schema: String): Seq[String] =
      spark.read
        .schema(schema)
        .format(format)
        .load(place.out)
        .orderBy("id")
        .collect()
        .toSeq
        .map(_.mkString(","))

    def parts(column: String): Seq[String] =
      spark.read
        .format("stoplog")
        .option("view", "parts")
        .load(place.out)
        .collect()
        .map(_.getAs[String](column))
        .toSeq
        .sorted

    private def start(columns: Seq[String], options: Seq[(String, String)]) =
      input
        .toDF()
        .selectExpr(columns: _*)
        .coalesce(1)
        .writeStream
        .format("stoplog")
        .options(Map("format" -> format, "bucketAssigner" -> "basePath", "finalizeOnTermination" -> "never"))
        .options(options.toMap)
        .option("checkpointLocation", place.checkpoint)
        .trigger(Trigger.ProcessingTime(0))
        .start(place.out)
  }
}
