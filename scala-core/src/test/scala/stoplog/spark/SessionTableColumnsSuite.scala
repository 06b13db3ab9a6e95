// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Paths

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryException, Trigger}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Thrown

/** The columns of a table of Spark's session catalog: what streams may write, and what Spark says of the table. */
class SessionTableColumnsSuite extends AnyFunSuite with SessionDatabase {
  override protected def databaseName: String = "table_columns"

  private def table(name: String, columns: String, options: String, rest: String = ""): String = {
    spark.sql(s"CREATE TABLE $database.$name ($columns) USING stoplog OPTIONS ($options) $rest")
    s"$database.$name"
  }

  /** Of two rows, whose numbers are 1 and 2. */
  private def numbers: DataFrame = {
    import spark.implicits._
    val input = MemoryStream[Int](spark)
    input.addData(1 to 2)
    input.toDF().toDF("n")
  }

  private def writer(rows: DataFrame, checkpoint: String): DataStreamWriter[Row] = rows.writeStream
    .option("checkpointLocation", checkpoint)
    .option("finalizeOnTermination", "always")

  private def once(rows: DataFrame, checkpoint: String): DataStreamWriter[Row] =
    writer(rows, checkpoint).trigger(Trigger.AvailableNow())

  private def finish(query: StreamingQuery): Unit = {
    query.awaitTermination()
    assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 600000))
  }

  /** @param columns of the stream, whose rows have a number `n` */
  private def run(table: String, columns: String*): Unit =
    write(numbers.selectExpr(columns: _*), table, new TestDirectory)

  private def write(rows: DataFrame, table: String, place: TestDirectory): Unit = {
    val sinkId = Paths.get(place.out).getParent.getFileName.toString
    finish(once(rows, place.checkpoint).option("sinkId", sinkId).toTable(table))
  }

  private def refused(table: String, columns: String*): String = {
    val error = intercept[StreamingQueryException](run(table, columns: _*))
    assert(Thrown.conditions(error).contains("STOPLOG_ROW_COLUMNS"), columns)
    Thrown.text(error)
  }

  test("a stream may write only columns of the table, by name and with matching types") {
    val target =
      table("streamed", "id BIGINT, message STRING, day INT", "format 'parquet'", "PARTITIONED BY (day)")
    val day = "n AS day"
    assert(refused(target, "bigint(n) AS id", "'x' AS msg", day).contains("the table has no column msg"))
    assert(
      refused(target, "string(n) AS id", "'x' AS message", day).contains(
        "id is STRING, and BIGINT in the table"
      )
    )
    assert(refused(target, "bigint(n) AS id").contains("day is missing"))
    assert(rows(target) === Nil)
    run(target, "'x' AS MESSAGE", day, "bigint(n) AS ID")
    run(target, day, "bigint(n) + 10 AS id")
    assert(rows(target) === Seq(Row(1, "x", 1), Row(11, null, 1), Row(12, null, 2), Row(2, "x", 2)))
    spark.sql(s"INSERT INTO $target (id, day) VALUES (3, 3)")
    assert(spark.sql(s"SELECT message FROM $target WHERE id = 3").head() === Row(null))
  }

  for (format <- Seq("json", "parquet", "orc", "avro", "csv"))
    test(s"$format: nulls, defaults and lengths of a table hold for streams as for INSERT") {
      val columns =
        "id INT, v INT DEFAULT 5, w STRING DEFAULT 'd', c CHAR(4), s VARCHAR(3), d INT DEFAULT 2 + 3, p CHAR(2)"
      val target =
        table(s"held_$format", columns, s"format '$format'", "PARTITIONED BY (p)")
      val all = Seq("CAST(NULL AS STRING) AS w", "'ab' AS c", "'abc  ' AS s", "7 AS d", "'q' AS p")
      spark.sql(s"INSERT INTO $target VALUES (0, NULL, NULL, 'ab', 'abc', 7, 'q')")
      run(target, Seq("n AS id", "CAST(NULL AS INT) AS v") ++ all: _*)
      assert(
        rows(target) === Seq(0, 1, 2).map(id => Row(id, null, null, "ab  ", "abc", 7, "q "))
      )
      assert(spark.sql(s"SELECT id FROM $target WHERE p = 'q'").count() === 3)
      val tooLong = intercept[StreamingQueryException](
        run(
          target,
          Seq("n AS id", "1 AS v", "'x' AS w", "'abcde' AS c", "'a' AS s", "7 AS d", "'q' AS p"): _*
        )
      )
      assert(Thrown.text(tooLong).contains("EXCEED_LIMIT_LENGTH"))
      if (format != "csv") {
        run(target, "n + 10 AS id", "'c' AS c", "'s' AS s", "'r' AS p")
        assert(rows(target).filter(_.getInt(0) > 9) === Seq(11, 12).map(Row(_, 5, "d", "c   ", "s", 5, "r ")))
      }
    }

  test("a stream pads the defaults of missing CHAR columns as INSERT pads values") {
    val place  = new TestDirectory
    val target = table(
      "padded",
      "id INT, c CHAR(4) DEFAULT 'a', v VARCHAR(4) DEFAULT 'b', n CHAR(3) DEFAULT NULL, " +
        "p CHAR(2) DEFAULT 'q'",
      "format 'json'",
      s"PARTITIONED BY (p) LOCATION '${place.out}'"
    )
    spark.sql(s"INSERT INTO $target VALUES (0, 'a', 'b', NULL, 'q')")
    run(target, "n AS id")
    // Spark pads the values of a table that it reads, so the test looks at the files.
    assert(place.directories.size === 1)
    assert(spark.read.json(place.out).select("c", "v").distinct().collect().toSeq === Seq(Row("a   ", "b")))
    assert(rows(target).map(_.getInt(0)) === Seq(0, 1, 2))
  }

  test("the lengths of the table hold for columns of other tables with other lengths") {
    val source = table("longer", "m INT, s VARCHAR(10), c VARCHAR(10)", "format 'parquet'")
    spark.sql(s"INSERT INTO $source VALUES (1, 'abcdef', 'x'), (2, 'abc', 'y')")
    def stream(number: Int) = numbers
      .join(spark.table(source), col("n") === col("m") && col("n") === number)
      .selectExpr("n AS id", "s", "c")
    val target = table("shorter", "id INT, s VARCHAR(3), c CHAR(4)", "format 'parquet'")
    val error  = intercept[StreamingQueryException](write(stream(1), target, new TestDirectory))
    assert(Thrown.text(error).contains("EXCEED_LIMIT_LENGTH"))
    write(stream(2), target, new TestDirectory)
    assert(rows(target) === Seq(Row(2, "abc", "y   ")))
    val free = table("free", "id INT, s STRING, c STRING", "format 'parquet'")
    write(stream(1).selectExpr("id", "s", "repeat(c, 20) AS c"), free, new TestDirectory)
    assert(rows(free) === Seq(Row(1, "abcdef", "x" * 20)))
  }

  test("lengths hold within structs, arrays and maps, and NOT NULL columns with a default may be missing") {
    val target = table(
      "deep",
      "id INT, s STRUCT<a: VARCHAR(2)>, l ARRAY<CHAR(2)>, m MAP<STRING, VARCHAR(2)>, n INT NOT NULL DEFAULT 4",
      "format 'parquet'"
    )
    def write(a: String, b: String, c: String): Unit = run(
      target,
      "n AS id",
      s"named_struct('a', '$a') AS s",
      s"array('$b') AS l",
      s"map('k', '$c') AS m"
    )
    write("ab", "x", "cd")
    assert(rows(target).head === Row(1, Row("ab"), Seq("x "), Map("k" -> "cd"), 4))
    for ((a, b, c) <- Seq(("abc", "x", "x"), ("x", "abc", "x"), ("x", "x", "abc")))
      assert(Thrown.text(intercept[StreamingQueryException](write(a, b, c))).contains("EXCEED_LIMIT_LENGTH"))
  }

  test("a stream into a CSV table must write all columns in table order") {
    val target = table("counted", "id INT, word STRING", "format 'csv'")
    assert(refused(target, "'x' AS word", "n AS id").contains("order id, word"))
    assert(refused(target, "n AS id").contains("word is missing"))
    run(target, "n AS id", "'x' AS word")
    assert(rows(target) === Seq(Row(1, "x"), Row(2, "x")))
  }

  test("an unchanged stream continues for every value of onSchemaChange") {
    for (change <- Seq("fail", "additive")) {
      val target =
        table(s"kept_$change", "id INT, word STRING", s"format 'parquet', onSchemaChange '$change'")
      val place = new TestDirectory
      import spark.implicits._
      val input = MemoryStream[Int](spark)
      for (_ <- 1 to 2) {
        input.addData(1)
        write(input.toDF().selectExpr("value AS id", "'x' AS word"), target, place) // a literal is never null
      }
      assert(rows(target) === Seq(Row(1, "x"), Row(1, "x")))
    }
  }

  test("a column that is nullable only in some micro-batches counts as unchanged") {
    import spark.implicits._
    val target = table("unions", "id INT, kind STRING", "format 'parquet', onSchemaChange 'fail'")
    val path   = new TestDirectory
    def unions(place: TestDirectory)(begin: DataStreamWriter[Row] => StreamingQuery): Unit = {
      val (some, others) = (MemoryStream[Int](spark), MemoryStream[Int](spark))
      val ofSome         = some.toDF().selectExpr("value AS id", "'x' AS kind")
      val ofOthers       = others.toDF().selectExpr("value AS id")
      val union          = ofSome.unionByName(ofOthers, allowMissingColumns = true)
      val query          = begin(writer(union, place.checkpoint))
      for (inputs <- Seq(Seq(some), Seq(some, others), Seq(others), Seq(some))) {
        inputs.foreach(_.addData(1))
        query.processAllAvailable()
      }
      query.stop()
      finish(query)
    }
    unions(new TestDirectory)(_.toTable(target))
    unions(path)(
      _.format("stoplog").option("format", "parquet").option("onSchemaChange", "fail").start(path.out)
    )
    val expected = Seq.fill(3)(Row(1, "x")) ++ Seq.fill(2)(Row(1, null))
    assert(rows(target).toSet === expected.toSet && rows(target).size === 5)
    val ofPath = spark.read.parquet(path.out).select("id", "kind").collect().toSeq
    assert(ofPath.toSet === expected.toSet && ofPath.size === 5)
  }

  test("a CSV stream keeps the table's order although the log's files have another order") {
    val place = new TestDirectory
    val first = once(numbers.selectExpr("'x' AS word", "n AS id"), place.checkpoint)
    finish(first.format("stoplog").option("format", "csv").start(place.out))
    val target = table(
      "reordered",
      "id INT, word STRING",
      "format 'csv', finalizeOnTermination 'always'",
      s"LOCATION '${place.out}'"
    )
    val second = once(numbers.selectExpr("n + 10 AS id", "'y' AS word"), place.checkpoint + "2")
    finish(second.option("onForeignQuery", "adoptAndRepeat").toTable(target))
    val lines = spark.read.text(place.out).collect().map(_.getString(0)).toSet
    assert(lines === Set("x,1", "x,2", "11,y", "12,y"))
  }

  test("collations and lengths of strings do not change the type") {
    val target = table(
      "texts",
      "a STRING COLLATE UTF8_LCASE, b VARCHAR(5), c ARRAY<STRING COLLATE UTF8_LCASE>",
      "format 'json'"
    )
    run(target, "'x' AS a", "'y' AS b", "array('z') AS c")
    assert(rows(target) === Seq.fill(2)(Row("x", "y", Seq("z"))))
  }

  test("the watermark of a stream reaches the table") {
    import spark.implicits._
    val target = table("watermarked", "at TIMESTAMP, word STRING", "format 'csv', eventTimeInterval '60s'")
    val input  = MemoryStream[Int](spark)
    input.addData(1)
    val rows = input
      .toDF()
      .selectExpr("timestamp_seconds(value) AS at", "'x' AS word")
      .withWatermark("at", "10 minutes")
    write(rows, target, new TestDirectory)
    assert(spark.table(target).selectExpr("word").head() === Row("x"))
  }

  test("a stream must satisfy NOT NULL") {
    val target = table("required", "id INT NOT NULL, word STRING", "format 'json'")
    val error  = intercept[StreamingQueryException](run(target, "nullif(n, 2) AS id", "'x' AS word"))
    assert(Thrown.text(error).contains("NOT_NULL_ASSERT_VIOLATION"))
    assert(refused(target, "'x' AS word").contains("id is missing"))
    assert(rows(target) === Nil)
    run(target, "n AS id", "string(null) AS word")
    assert(rows(target) === Seq(Row(1, null), Row(2, null)))
  }

  test("SHOW CREATE TABLE prints a statement that recreates the table") {
    val options = "format 'csv', header 'true', maxPartSize '1m'"
    val first   = table(
      "shown",
      "id INT COMMENT 'a number', day STRING",
      options,
      s"PARTITIONED BY (day) LOCATION '${directory.resolve("shown")}' TBLPROPERTIES ('owner_team'='x')"
    )
    spark.sql(s"INSERT INTO $first VALUES (1, 'a')")
    val said = spark.sql(s"SHOW CREATE TABLE $first").head().getString(0)
    for (part <- Seq("USING stoplog", "LOCATION", "'format' = 'csv'", "'owner_team' = 'x'"))
      assert(said.contains(part), said)
    assert(!said.contains("'path'"), said)
    spark.sql(s"DROP TABLE $first")
    spark.sql(said)
    assert(rows(first) === Seq(Row(1, "a")))
    spark.sql(s"INSERT INTO $first VALUES (2, 'b')")
    assert(rows(first) === Seq(Row(1, "a"), Row(2, "b")))
    assert(spark.sql(s"SHOW TBLPROPERTIES $first ('owner_team')").head().getString(1) === "x")
  }

  test("secret table options are hidden") {
    val first = table("hidden", "id INT", "format 'json'", "TBLPROPERTIES ('api.token' 'hunter2')")
    for (show <- Seq(s"SHOW CREATE TABLE $first", s"SHOW TBLPROPERTIES $first", s"DESCRIBE EXTENDED $first"))
      assert(!spark.sql(show).collect().mkString.contains("hunter2"), show)
  }

  test("ALTER TABLE changes columns in the catalog only, and files match columns by name") {
    val target = table("altered", "id INT, word STRING", "format 'json'")
    spark.sql(s"INSERT INTO $target VALUES (1, 'ant')")
    spark.sql(s"ALTER TABLE $target ADD COLUMN more INT")
    spark.sql(s"INSERT INTO $target VALUES (2, 'bee', 3)")
    assert(rows(target) === Seq(Row(1, "ant", null), Row(2, "bee", 3)))
    spark.sql(s"ALTER TABLE $target RENAME COLUMN word TO text")
    assert(spark.sql(s"SELECT text FROM $target").distinct().collect().toSeq === Seq(Row(null)))
    spark.sql(s"ALTER TABLE $target RENAME COLUMN text TO word")
    assert(rows(target) === Seq(Row(1, "ant", null), Row(2, "bee", 3)))
    spark.sql(s"ALTER TABLE $target DROP COLUMN more")
    spark.sql(s"ALTER TABLE $target ADD COLUMN more INT")
    assert(rows(target) === Seq(Row(1, "ant", null), Row(2, "bee", 3)))
  }

  test("ALTER TABLE of a CSV table: files match columns by position") {
    val target = table("altered_csv", "id INT, word STRING", "format 'csv'")
    spark.sql(s"INSERT INTO $target VALUES (1, 'ant')")
    spark.sql(s"ALTER TABLE $target RENAME COLUMN word TO text")
    assert(rows(target) === Seq(Row(1, "ant")))
    spark.sql(s"ALTER TABLE $target ADD COLUMN more STRING")
    assert(rows(target) === Seq(Row(1, "ant", null)))
    spark.sql(s"ALTER TABLE $target DROP COLUMN text")
    assert(rows(target) === Seq(Row(1, "ant")), "more has the values of text")
  }

  test("CACHE TABLE refreshes rows after an INSERT, and UNCACHE TABLE releases rows") {
    val first = table("cached", "id INT", "format 'json'")
    spark.sql(s"INSERT INTO $first VALUES (1)")
    spark.sql(s"CACHE TABLE $first")
    assert(spark.catalog.isCached(first))
    spark.sql(s"INSERT INTO $first VALUES (2)")
    assert(rows(first) === Seq(Row(1), Row(2)))
    spark.sql(s"UNCACHE TABLE $first")
    assert(!spark.catalog.isCached(first))
  }
}
