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
  private val Retyped   = Seq("value AS id", "1 AS word")

  for (format <- Seq("csv", "parquet"))
    test(s"$format: reordered columns continue the open part, each column in its place") {
      val query = new Restarts(format)
      query.run(Usual)
      query.run(Reordered, "onSchemaChange" -> "fail", "finalizeOnTermination" -> "always")
      assert(query.place.files.size === 1)
      assert(query.rows("id BIGINT, word STRING") === Seq("0,w", "1,w"))
    }

  test("roll: changed columns start new parts, with a warning, and the log records each part's schema") {
    val query = new Restarts("parquet")
    query.run(Usual)
    val said = LogCapture.of(query.run(Fewer, "onSchemaChange" -> "roll"))
    assert(said.exists(line => line.contains("removed: word") && line.contains("onSchemaChange")), said)
    query.run(More, "onSchemaChange" -> "roll", "finalizeOnTermination" -> "always")
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

  test("roll: a changed type is logged with both types") {
    val query = new Restarts("parquet")
    query.run(Usual)
    val said = LogCapture.of(query.run(Retyped, "onSchemaChange" -> "roll"))
    assert(said.exists(_.contains("word INT (was STRING)")), said)
  }

  test("by default, added columns follow the former columns") {
    val query = new Restarts("csv")
    query.run(Usual)
    query.run(More, "finalizeOnTermination" -> "always")
    assert(query.place.lines === Seq("0,w", "1,w,1"))
  }

  test("csv: a batch write has the columns of the stream in their order") {
    val query                         = new Restarts("csv")
    query.run(More, "finalizeOnTermination" -> "always")
    def write(columns: String*): Unit = spark
      .range(7, 8)
      .selectExpr(columns: _*)
      .write
      .format("stoplog")
      .options(Map("format" -> "csv", "bucketAssigner" -> "basePath"))
      .mode("append")
      .save(query.place.out)
    write("id", "'x' AS word", "2 AS more")
    write("id", "'y' AS other")
    assert(query.place.lines === Seq(",,7,y", "1,w,0", "2,x,7"))
  }

  for (format <- Seq("parquet", "orc"))
    test(s"$format: by default, missing columns are null, and all files are one table") {
      val query = new Restarts(format)
      query.run(Usual)
      query.run(Fewer)
      query.run(More)
      query.run(Usual, "onSchemaChange" -> "additive", "finalizeOnTermination" -> "always")
      assert(
        query.rows("id BIGINT, word STRING, more INT") === Seq("0,w,null", "1,null,null", "2,w,1", "3,w,null")
      )
      assert(query.parts("schema").contains("id BIGINT NOT NULL,word STRING,more INT"))
    }

  test("csv: a missing column keeps its place") {
    val query = new Restarts("csv")
    query.run(Usual)
    query.run(Seq("'w' AS word"), "finalizeOnTermination" -> "always")
    assert(query.place.lines === Seq(",w", "0,w"))
  }

  test("a column that is missing in one run keeps its type in the log") {
    for (format <- Seq("json", "parquet")) {
      val query = new Restarts(format)
      query.run(Usual)
      query.run(Fewer)
      assert(query.refused(Retyped).contains("word INT (was STRING)"))
    }
  }

  test("a column that becomes a partition column has its values in the directories alone") {
    val query = new Restarts("parquet")
    query.run(Usual, "finalizeOnTermination" -> "always")
    query.run(Usual, "partitionBy"           -> "word", "finalizeOnTermination" -> "always")
    assert(query.parts("schema") === Seq("id BIGINT NOT NULL", "id BIGINT NOT NULL,word STRING NOT NULL"))
  }

  for (
    (columns, changes) <- Seq(
      Retyped                           -> "word INT (was STRING)",
      Seq("value AS ID", "'w' AS word") -> "ID BIGINT (was id BIGINT)"
    )
  )
    test(s"by default, a changed type is rejected before any effect ($changes)") {
      val query = new Restarts("parquet")
      query.run(Usual)
      val before = query.place.everything
      val said   = query.refused(columns)
      assert(said.contains(changes) && said.contains("CAST") && said.contains("roll"), said)
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
    assert(query.parts("schema") === Seq("id BIGINT NOT NULL,word STRING"))
  }

  /** One query that is started again and again, with one more row each time. */
  private final class Restarts(format: String) {
    val place = new TestDirectory

    private val input = MemoryStream[Long](spark.implicits.newLongEncoder, spark)
    private var next  = 0L

    def run(columns: Seq[String], options: (String, String)*): Unit = {
      input.addData(next)
      next += 1
      val query = start(columns, options)
      try query.processAllAvailable()
      finally {
        query.stop()
        assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 300000))
      }
    }

    /** The message of the refusal, which comes with the start. */
    def refused(columns: Seq[String], options: (String, String)*): String = {
      val error = intercept[IllegalArgumentException with SparkThrowable](start(columns, options))
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
        .options(Map("format" -> format, "finalizeOnTermination" -> "never"))
        .options(
          if (options.exists(_._1 == "partitionBy")) Map.empty[String, String]
          else Map("bucketAssigner" -> "basePath")
        )
        .options(options.toMap)
        .option("checkpointLocation", place.checkpoint)
        .trigger(Trigger.ProcessingTime(0))
        .start(place.out)
  }
}
