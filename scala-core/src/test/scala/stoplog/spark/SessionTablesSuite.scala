// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.streaming.Trigger
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.Thrown

/** Tables of Spark's session catalog: what of SQL and of the DataFrame's methods for tables goes, and what is refused. */
class SessionTablesSuite extends AnyFunSuite with SessionDatabase {
  override protected def databaseName: String = "session_tables"

  private def tables: Set[String] =
    spark.sql(s"SHOW TABLES IN $database").collect().map(_.getAs[String]("tableName")).toSet

  private def values(table: String): Seq[Int] = rows(table).map(_.getAs[Int]("id"))

  private def refused(action: => Any): String = intercept[Exception](action) match {
    case named: SparkThrowable => s"${named.getCondition}: ${named.asInstanceOf[Throwable].getMessage}"
    case other                 => throw other
  }

  for (format <- Seq("json", "parquet"))
    test(s"SQL creates, writes and reads a table of $format with partitions") {
      val (table, place) = (s"$database.of_$format", new TestDirectory)
      spark.sql(
        s"CREATE TABLE $table (id INT, word STRING, day DATE) USING stoplog OPTIONS (format '$format') " +
          s"PARTITIONED BY (day) LOCATION '${place.out}'"
      )
      assert(rows(table) === Nil)
      spark.sql(s"INSERT INTO $table VALUES (1, 'ant', DATE '2026-01-31'), (2, NULL, DATE '2026-02-01')")
      spark.sql(s"INSERT INTO $table (word, id, day) SELECT 'bee', 3, DATE '2026-02-01'")
      assert(values(table) === Seq(1, 2, 3))
      assert(place.directories === Set("day=2026-01-31", "day=2026-02-01"))
      assert(
        spark.sql(s"SELECT word FROM $table WHERE day > DATE '2026-01-31' AND id = 3").collect().toSeq ===
          Seq(Row("bee"))
      )
      spark.sql(s"INSERT OVERWRITE $table VALUES (9, 'asp', DATE '2026-02-02')")
      assert(values(table) === Seq(9))
      assert(place.directories === Set("day=2026-02-02"))
      spark.sql(s"DROP TABLE $table")
      assert(place.files.size === 1) // the files of a location stay
    }

  test("a DataFrame appends to or overwrites a table, and DROP deletes files of managed tables") {
    val table = s"$database.made"
    spark.sql(s"CREATE TABLE $table (id INT) USING stoplog OPTIONS (format 'json')")
    spark.range(2).selectExpr("int(id) AS id").write.format("stoplog").mode("append").saveAsTable(table)
    spark.range(2, 3).selectExpr("int(id) AS id").write.format("stoplog").mode("append").saveAsTable(table)
    spark.range(3, 4).selectExpr("int(id) AS id").write.insertInto(table)
    spark.range(4, 5).selectExpr("int(id) AS id").writeTo(table).append()
    assert(values(table) === Seq(0, 1, 2, 3, 4))
    val managed = directory.resolve("managed/made")
    assert(Files.exists(managed.resolve("_stoplog")))
    spark.range(7, 8).selectExpr("int(id) AS id").write.mode("overwrite").insertInto(table)
    assert(values(table) === Seq(7))
    spark.sql(s"DROP TABLE $table")
    assert(!Files.exists(managed))
  }

  for (format <- Seq("json", "csv", "parquet"))
    test(s"a NOT NULL column of $format may be missing in files, not in inserted rows") {
      val (table, place) = (s"$database.required_$format", new TestDirectory)
      val nested         = if (format == "csv") "" else ", s STRUCT<x: INT NOT NULL>"
      spark
        .sql("SELECT 1 AS c1, CAST(NULL AS INT) AS c2, CAST(NULL AS STRING) AS c3")
        .coalesce(1)
        .write
        .format(format)
        .save(place.out)
      spark.sql(
        s"CREATE TABLE $table (c1 INT NOT NULL, c2 INT NOT NULL, c3 STRING NOT NULL$nested) USING stoplog " +
          s"OPTIONS (format '$format') LOCATION '${place.out}'"
      )
      val read = s"SELECT c1, c2, c3 FROM $table"
      assert(spark.sql(read).collect().toSeq === Seq(Row(1, null, null)))
      assert(spark.sql(s"$read WHERE c2 IS NULL").count() === 1)
      assert(spark.sql(s"$read WHERE c2 IS NOT NULL").count() === 0)
      val copied = new TestDirectory
      copied.copy(spark.readStream.table(table).selectExpr("concat_ws(',', c1, c2, c3)"))
      assert(copied.lines === Seq("1"))
      val rest  = if (format == "csv") "" else ", named_struct('x', 1)"
      val wrong = Seq(s"2, NULL, 'a'$rest", s"2, nullif(2, 2), 'a'$rest") ++
        (if (format == "csv") Nil else Seq("2, 2, 'a', named_struct('x', CAST(NULL AS INT))"))
      for (values <- wrong) {
        val error = intercept[Exception](spark.sql(s"INSERT INTO $table SELECT $values"))
        assert(Thrown.text(error).contains("NOT_NULL_ASSERT_VIOLATION"), values)
      }
      spark.sql(s"INSERT INTO $table SELECT 2, 2, 'a'$rest")
      assert(spark.sql(s"$read WHERE c1 = 2").collect().toSeq === Seq(Row(2, 2, "a")))
    }

  test("a stream from an empty table knows the columns of later directories") {
    import spark.implicits._
    for ((by, partitioned) <- Seq(("", "PARTITIONED BY (day)"), (", partitionBy 'day'", ""))) {
      val (table, place, copied) = (s"$database.empty", new TestDirectory, new TestDirectory)
      spark.sql(
        s"CREATE TABLE $table (id INT, day INT) USING stoplog OPTIONS (format 'json'$by) $partitioned " +
          s"LOCATION '${place.out}'"
      )
      val query = spark.readStream
        .table(table)
        .selectExpr("concat(id, ' ', day)")
        .writeStream
        .format("text")
        .option("checkpointLocation", copied.checkpoint)
        .start(copied.out)
      try {
        query.processAllAvailable()
        Seq((1, 7)).toDF("id", "day").writeTo(table).append()
        query.processAllAvailable()
      } finally query.stop()
      assert(copied.lines === Seq("1 7"))
      spark.sql(s"DROP TABLE $table")
    }
  }

  test("CREATE TABLE AS SELECT and writeTo with properties create tables") {
    val (first, second) = (s"$database.selected", s"$database.created")
    spark.sql(s"CREATE TABLE $first USING stoplog OPTIONS (format 'parquet') AS SELECT 1 AS id, 'x' AS word")
    assert(rows(first) === Seq(Row(1, "x")))
    spark.table(first).writeTo(second).using("stoplog").tableProperty("format", "orc").create()
    assert(rows(second) === Seq(Row(1, "x")))
  }

  test("a table over existing files infers their columns") {
    val (table, place) = (s"$database.over", new TestDirectory)
    spark
      .sql("SELECT 5 AS id, 'x' AS word")
      .write
      .format("stoplog")
      .option("format", "parquet")
      .mode("append")
      .save(place.out)
    spark.sql(s"CREATE TABLE $table USING stoplog OPTIONS (format 'parquet') LOCATION '${place.out}'")
    assert(values(table) === Seq(5))
  }

  test("a stream writes a table, and another stream reads each row once") {
    import spark.implicits._
    val (from, to) = (s"$database.streamed", s"$database.copied")
    val place      = new TestDirectory
    for (table <- Seq(from, to))
      spark.sql(
        s"CREATE TABLE $table (id INT) USING stoplog OPTIONS (format 'json', maxPartSize '1k') " +
          s"LOCATION '${place.out}/$table'"
      )
    val input       = MemoryStream[Int](spark)
    def run(): Unit = {
      val queries = Seq(input.toDF().toDF("id") -> from, spark.readStream.table(from) -> to)
      for ((rows, table) <- queries) {
        val query = rows.writeStream
          .option("checkpointLocation", s"${place.checkpoint}/$table")
          .option("finalizeOnTermination", "always")
          .trigger(Trigger.AvailableNow())
          .toTable(table)
        query.awaitTermination()
        assert(FileSink.awaitEnd(query.runId.toString, timeoutMillis = 600000))
      }
    }
    input.addData(1 to 5)
    run()
    input.addData(6 to 7)
    run()
    assert(values(from) === (1 to 7))
    assert(values(to) === (1 to 7))
  }

  test("read and write options override table options, except path and format") {
    val (table, place) = (s"$database.asked", new TestDirectory)
    spark.sql(
      s"CREATE TABLE $table (id INT) USING stoplog OPTIONS (format 'json', partPrefix 'a') LOCATION '${place.out}'"
    )
    spark.sql("SELECT 1 AS id").writeTo(table).option("partPrefix", "b").append()
    assert(place.files.map(_.getFileName.toString.take(2)) === Seq("b-"))
    val said = refused(spark.sql("SELECT 1 AS id").writeTo(table).option("format", "csv").append())
    assert(said.contains("STOPLOG_INVALID_OPTIONS") && said.contains("requests another"))
  }

  test("a call may repeat the location of a table, and another location fails") {
    import spark.implicits._
    val (table, place, other) = (s"$database.placed", new TestDirectory, new TestDirectory)
    spark.sql(s"CREATE TABLE $table (id INT) USING stoplog OPTIONS (format 'json') LOCATION '${place.out}'")
    val row = spark.sql("SELECT 1 AS id")
    for (same <- Seq(place.out, s"file:${place.out}", s"${place.out}/"))
      row.writeTo(table).option("path", same).append()
    assert(spark.read.option("PATH", s"file://${place.out}").table(table).count() === 3)
    val input = MemoryStream[Int](spark)
    input.addData(1)
    val stream = input
      .toDF()
      .toDF("id")
      .writeStream
      .option("checkpointLocation", place.checkpoint)
      .option("path", other.out)
      .trigger(Trigger.AvailableNow())
    def streamed = spark.readStream.option("path", other.out).table(table).selectExpr("string(id)")
    for (
      another <- Seq[() => Any](
        () => row.writeTo(table).option("path", other.out).append(),
        () => row.writeTo(table).option("path", "").append(),
        () => row.write.format("stoplog").mode("append").option("path", other.out).saveAsTable(table),
        () => spark.read.option("path", other.out).table(table).count(),
        () => spark.read.option("paths", s"""["${other.out}"]""").table(table).count(),
        () => (new TestDirectory).copy(streamed),
        () => stream.toTable(table).awaitTermination()
      )
    ) {
      val error = intercept[Exception](another())
      assert(Thrown.conditions(error).contains("STOPLOG_INVALID_OPTIONS"))
      assert(Thrown.text(error).contains("requests another"))
    }
    assert(values(table) === Seq(1, 1, 1))
    assert(!Files.exists(Path.of(other.out)))
    val created = s"$database.created_there"
    row.writeTo(created).using("stoplog").tableProperty("format", "json").option("path", other.out).create()
    assert(values(created) === Seq(1))
    assert(other.files.size === 1)
  }

  test("rejects unsupported table definitions by name and leaves no traces") {
    val before = tables
    val place  = new TestDirectory
    for (
      (create, why) <- Seq(
        "(id INT) USING stoplog"                                          -> "needs its format",
        "(id INT) USING stoplog OPTIONS (format 'json', maxPartSiz '1m')" -> "maxPartSize",
        "(id INT) USING stoplog OPTIONS (format 'json', view 'parts')"    -> "cannot have the option view",
        "(id INT) USING stoplog OPTIONS (format 'json', sink 'x.Y')"      -> "cannot have the option sink",
        "(id INT) USING stoplog OPTIONS (format 'sequencefile')"          -> "format",
        "(id INT) USING stoplog OPTIONS (format 'json') CLUSTERED BY (id) INTO 4 BUCKETS" -> "partitionBy"
      )
    ) {
      val said = refused(spark.sql(s"CREATE TABLE $database.none $create"))
      assert(said.contains(why), create)
      assert(said.startsWith("STOPLOG_"), said)
      assert(tables === before)
    }
    val rows = spark.sql("SELECT 1 AS id").write.format("stoplog").option("format", "json")
    assert(
      refused(rows.saveAsTable(s"$database.none")).contains("needs its format")
    ) // Spark keeps no such option
    assert(tables === before)
    assert(!Files.exists(directory.resolve("managed/none")))
    assert(!Files.exists(Path.of(place.out)))
  }

  test("rejects the replacement of a table, since former rows would remain") {
    val (table, place) = (s"$database.kept", new TestDirectory)
    spark.sql(
      s"CREATE TABLE $table USING stoplog OPTIONS (format 'json') LOCATION '${place.out}' AS SELECT 1 AS id"
    )
    val again = spark.sql("SELECT 2 AS id").write.format("stoplog").option("format", "json").mode("overwrite")
    for (
      replace <- Seq(
        () => again.saveAsTable(table),
        () => spark.sql(s"CREATE OR REPLACE TABLE $table (id INT) USING stoplog OPTIONS (format 'json')"),
        () => again.saveAsTable(s"$database.none")
      )
    ) assert(refused(replace()).contains("a table cannot be replaced"))
    assert(values(table) === Seq(1))
    assert(!tables.contains("none"))
  }

  test("Spark rejects unsupported table commands without changing rows") {
    val (table, place) = (s"$database.plain", new TestDirectory)
    spark.sql(
      s"CREATE TABLE $table (id INT, day STRING) USING stoplog OPTIONS (format 'json') PARTITIONED BY (day) " +
        s"LOCATION '${place.out}'"
    )
    spark.sql(s"INSERT INTO $table VALUES (1, 'a'), (2, 'b')")
    for (
      change <- Seq(
        s"DELETE FROM $table WHERE id = 1",
        s"UPDATE $table SET id = 3",
        s"ANALYZE TABLE $table COMPUTE STATISTICS",
        s"MSCK REPAIR TABLE $table",
        s"ALTER TABLE $table ADD PARTITION (day = 'c')",
        s"SELECT * FROM $table VERSION AS OF 1",
        s"MERGE INTO $table t USING $table s ON t.id = s.id WHEN MATCHED THEN DELETE"
      )
    ) withClue(change)(refused(spark.sql(change)))
    assert(values(table) === Seq(1, 2))
  }
}
