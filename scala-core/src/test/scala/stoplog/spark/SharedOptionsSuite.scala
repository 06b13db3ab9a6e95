// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** Options that the sink and the source know: a row written with an option is read back with the same option. */
class SharedOptionsSuite extends AnyFunSuite with SparkSessionForTests {

  private def back(values: String, schema: String, options: Map[String, String]): Seq[Row] = {
    val place = new TestDirectory
    spark.sql(values).write.format("stoplog").options(options).mode("append").save(place.out)
    spark.read.format("stoplog").schema(schema).options(options).load(place.out).collect().toSeq
  }

  for (format <- Seq("text", "json", "csv", "parquet", "orc", "avro"))
    test(s"$format: timeZone applies to directories for writing, reading and filters") {
      val before = spark.conf.get("spark.sql.session.timeZone")
      spark.conf.set("spark.sql.session.timeZone", "America/New_York")
      try {
        val place   = new TestDirectory
        val options = Map("format" -> format, "partitionBy" -> "t", "timeZone" -> "UTC")
        spark
          .sql("SELECT 'x' AS s, timestamp_seconds(1762061400) AS t")
          .write
          .format("stoplog")
          .options(options)
          .mode("append")
          .save(place.out)
        val read =
          spark.read.format("stoplog").schema("s STRING, t TIMESTAMP").options(options).load(place.out)
        assert(read.selectExpr("unix_seconds(t)").head().getLong(0) === 1762061400L)
        assert(read.where("t = timestamp_seconds(1762061400)").count() === 1)
        assert(place.files.head.toString.contains("2025-11-02 05%3A30%3A00"))
        spark.sql(
          s"CREATE TABLE zoned_$format (s STRING, t TIMESTAMP) USING stoplog " +
            s"OPTIONS (format '$format', timeZone 'UTC') PARTITIONED BY (t) LOCATION '${place.out}'"
        )
        try assert(spark.table(s"zoned_$format").where("t = timestamp_seconds(1762061400)").count() === 1)
        finally spark.sql(s"DROP TABLE zoned_$format"): Unit
      } finally spark.conf.set("spark.sql.session.timeZone", before)
    }

  test("charset, nullValue and lineSep mean the same in every format of lines") {
    for (format <- Seq("text", "json", "csv")) {
      val options = Map("format" -> format, "charset" -> "ISO-8859-1", "lineSep" -> ";") ++
        Option.when(format != "json")("nullValue" -> "-")
      val rows = back("SELECT 'M\u00fcn' AS value UNION ALL SELECT NULL", "value STRING", options)
      assert(rows.toSet === Set(Row("M\u00fcn"), Row(null)), format)
      val table = s"latin_$format"
      val sql   = options.map { case (name, value) => s"$name '$value'" }.mkString(", ")
      spark.sql(s"CREATE TABLE $table (value STRING) USING stoplog OPTIONS ($sql)")
      try {
        spark.sql(s"INSERT INTO $table VALUES ('M\u00fcn')")
        assert(spark.table(table).collect().toSeq === Seq(Row("M\u00fcn")))
      } finally spark.sql(s"DROP TABLE $table"): Unit
    }
  }

  test("CSV: empty strings, nulls, quotes, blanks and microseconds are read back") {
    val schema = "i INT, s STRING, t TIMESTAMP"
    val rows   = back(
      "SELECT * FROM VALUES (1, '', timestamp_micros(1)), (2, NULL, NULL), (NULL, ' \"x\\\\ ', NULL) AS v(i, s, t)",
      schema,
      Map("format" -> "csv")
    )
    val expected = spark.sql("SELECT timestamp_micros(1)").head().get(0)
    assert(rows.toSet === Set(Row(1, "", expected), Row(2, null, null), Row(null, " \"x\\ ", null)))
  }

  test("CSV: two quotes of other writers are a null in a column of numbers") {
    val in = new Input
    in.write("a.csv", "\"\",\"\"\n1,\"x\"\n")
    for (mode <- Seq("FAILFAST", "PERMISSIVE")) {
      val read = spark.read.format("stoplog").option("format", "csv").option("mode", mode)
      val rows = read.schema("i INT, s STRING").load(in.root.toString)
      assert(rows.collect().toSet === Set(Row(null, ""), Row(1, "x")), mode)
      assert(rows.select("s").collect().toSet === Set(Row(""), Row("x")), mode)
    }
  }

  test("a line end in a value is rejected, and multiLine holds it for both directions") {
    val values = "SELECT 1 AS i, 'two\\nlines' AS s"
    for (options <- Seq(Map("format" -> "csv"), Map("format" -> "csv", "onBadRow" -> "fail")))
      assert(
        Thrown
          .text(intercept[Exception](back(values, "i INT, s STRING", options)))
          .contains("STOPLOG_UNREADABLE_ROW")
      )
    assert(
      back(values, "i INT, s STRING", Map("format" -> "csv", "multiLine" -> "true")) === Seq(
        Row(1, "two\nlines")
      )
    )
  }

  test("CSV: lineSep with multiLine means the same for writing and reading") {
    for (
      (lineSep, text) <- Seq(";" -> "two\\r\\nlines", "\u0001" -> "two\\rlines", "\r\n" -> "two\\rlines")
    ) {
      val options = Map("format" -> "csv", "multiLine" -> "true", "lineSep" -> lineSep)
      val rows    = back(s"SELECT 1 AS i, '$text' AS s UNION ALL SELECT 2, 'x'", "i INT, s STRING", options)
      assert(rows.toSet === Set(Row(1, StringContext.processEscapes(text)), Row(2, "x")), lineSep)
    }
  }
}
