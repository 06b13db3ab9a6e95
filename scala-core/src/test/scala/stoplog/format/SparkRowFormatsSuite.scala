// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.ByteArrayOutputStream
import java.nio.file.Files

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.types.{CalendarIntervalType, StructType}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.read.LineDialect

/** json and csv: the same bytes as Spark's own sink with the same options, including our defaults. */
class SparkRowFormatsSuite extends AnyFunSuite with SparkSessionForTests {

  private lazy val rows: DataFrame = spark.sql(
    """SELECT * FROM VALUES
      |  (1L, 'a', 1.5D, TIMESTAMP '2026-01-31 23:59:59.123456', DATE '2026-01-31', true, CAST(1.10 AS DECIMAL(9, 2))),
      |  (2L, 'q"uo,te', -0.0D, TIMESTAMP '1900-01-01 00:00:00', DATE '0001-01-01', false, null),
      |  (null, null, null, null, null, null, null),
      |  (4L, '', double('NaN'), null, null, null, null),
      |  (5L, ' two\tlines ä\\ ', 1e300D, null, null, null, null)
      | AS t(id, name, x, at, day, ok, dec)""".stripMargin
  )

  private lazy val nested: DataFrame = spark.sql(
    "SELECT named_struct('b', 1, 'c', array(1, null)) AS a, map('k', 'ü') AS m, X'00ff' AS raw, NULL AS nothing"
  )

  private def ours(format: String, df: DataFrame, options: Map[String, String]): Array[Byte] = {
    val encoder = TaskSerialization.toTask(RowFormats.encoder(format, df.schema, options, "UTC"))
    encoder.open(df.schema)
    val out = new ByteArrayOutputStream
    encoder.begin(out)
    df.queryExecution.executedPlan.executeCollect().foreach(encoder.encode(_, out))
    out.toByteArray
  }

  private def sparks(format: String, df: DataFrame, options: Map[String, String]): Array[Byte] = {
    val dir = Files.createTempDirectory("stoplog-formats")
    df.coalesce(1).write.mode("overwrite").format(format).options(options).save(dir.toString)
    val found = Files.list(dir).iterator().asScala.filter(_.getFileName.toString.startsWith("part-")).toSeq
    found.flatMap(Files.readAllBytes(_)).toArray
  }

  private def assertSame(format: String, of: String, df: => DataFrame)(options: (String, String)*): Unit =
    test(s"$format $of equals the output of Spark${shown(options)}") {
      val defaults =
        if (format == "csv") LineDialect.ofCsvWrites(options.toMap)
        else LineDialect.ofJsonWrites(options.toMap)
      val expected = sparks(format, df, defaults)
      assert(expected.nonEmpty)
      assert(new String(ours(format, df, options.toMap), "utf8") === new String(expected, "utf8"))
    }

  private def shown(options: Seq[(String, String)]): String =
    options.map { case (name, value) =>
      s", $name = ${value.map(c => if (c < ' ') c.toInt else c).mkString}"
    }.mkString

  assertSame("json", "of flat rows", rows)()
  assertSame("json", "of nested rows", nested)()
  assertSame("json", "of flat rows", rows)(
    "ignoreNullFields" -> "false",
    "timestampFormat"  -> "yyyy/MM/dd HH:mm"
  )
  assertSame("json", "of flat rows", rows)("timeZone" -> "Asia/Kolkata", "dateFormat" -> "dd.MM.yy")
  assertSame("json", "of flat rows", rows)("lineSep"  -> "\r\n")
  assertSame("json", "of flat rows", rows)("encoding" -> "UTF-16LE", "lineSep"        -> "\n")
  assertSame("json", "of flat rows", rows)("encoding" -> "UTF-16")
  assertSame("json", "of flat rows", rows)("encoding" -> "ISO-8859-1")
  assertSame("csv", "of flat rows", rows)()
  assertSame("csv", "of flat rows", rows)(
    "header"    -> "true",
    "sep"       -> ";",
    "nullValue" -> "NULL"
  )
  assertSame("csv", "of flat rows", rows)(
    "quoteAll"  -> "true",
    "escape"    -> "\\",
    "lineSep"   -> "\r",
    "nullValue" -> "-"
  )
  assertSame("csv", "of flat rows", rows)(
    "timeZone"        -> "America/New_York",
    "timestampFormat" -> "yyyy-MM-dd HH:mm:ss.SSS XXX"
  )
  assertSame("csv", "of flat rows", rows)("encoding" -> "UTF-16", "HEADER" -> "true")
  assertSame("csv", "of one column", rows.select("name").where("name IS NOT NULL"))()

  test("csv of binary equals the output of Spark, in the only form that readers read back") {
    val texts = spark.sql("SELECT X'612c62' AS raw, 1 AS id")
    spark.conf.set(SQLConf.BINARY_OUTPUT_STYLE.key, "UTF-8")
    try assert(ours("csv", texts, Map.empty) === sparks("csv", texts, LineDialect.ofCsvWrites(Map.empty)))
    finally spark.conf.unset(SQLConf.BINARY_OUTPUT_STYLE.key)
  }

  test("the sink's compression option does not reach Spark's writer") {
    for {
      format      <- Seq("json", "csv")
      compression <- Seq("zstd", "gzip", "none")
    }
      assert(ours(format, rows, Map("Compression" -> compression)) === ours(format, rows, Map.empty))
  }

  test("a record larger than every buffer is written whole, followed by the next") {
    val df   = spark.range(3).selectExpr("id", "repeat('ä🚀', 700000) AS long")
    val back = new String(ours("json", df, Map.empty), "utf8").linesIterator.toSeq
    assert(back === Seq(0, 1, 2).map(i => s"""{"id":$i,"long":"${"ä🚀" * 700000}"}"""))
  }

  test("encode writes every record to the stream of its part before returning") {
    val df      = spark.range(4).selectExpr("id")
    val encoder = RowFormats.encoder("csv", df.schema, Map("header" -> "true"), "UTC")
    val parts   = Seq.fill(2)(new ByteArrayOutputStream)
    df.queryExecution.executedPlan.executeCollect().zipWithIndex.foreach { case (row, i) =>
      if (i < 2) encoder.begin(parts(i))
      encoder.encode(row, parts(i % 2))
      assert(parts(i % 2).toString.endsWith(s"$i\n"))
    }
    assert(parts.map(_.toString) === Seq("id\n0\n2\n", "id\n1\n3\n"))
  }

  test("a resumed part has no second header") {
    val df     = spark.range(1).selectExpr("id")
    val row    = df.queryExecution.executedPlan.executeCollect().head
    val out    = new ByteArrayOutputStream
    val epochs = Seq.fill(2)(RowFormats.encoder("csv", df.schema, Map("header" -> "true"), "UTC"))
    epochs.head.begin(out)
    epochs.foreach(_.encode(row, out))
    assert(out.toString === "id\n0\n0\n")
  }

  test("rejects a column that Spark's writer rejects, by name and type") {
    def refused(format: String, schema: StructType) = {
      val e = intercept[Exception](RowFormats.encoder(format, schema, Map.empty, "UTC"))
      assert(e.asInstanceOf[SparkThrowable].getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
      e.asInstanceOf[SparkThrowable].getMessageParameters.asScala.toMap
    }
    assert(
      refused("csv", StructType.fromDDL("a INT, tags ARRAY<STRING>")) ===
        Map("format" -> "csv", "column" -> "tags", "why" -> "its type is array<string>")
    )
    assert(refused("csv", StructType.fromDDL("s STRUCT<a: INT>"))("column") === "s")
    assert(refused("csv", new StructType().add("i", CalendarIntervalType))("why") === "its type is interval")
    assert(refused("json", new StructType().add("i", CalendarIntervalType))("why") === "its type is interval")
  }

  test("the driver rejects option values that Spark rejects") {
    intercept[Exception](RowFormats.encoder("csv", rows.schema, Map("sep" -> ""), "UTC"))
    intercept[Exception](RowFormats.encoder("json", rows.schema, Map("timestampFormat" -> "bbbbb"), "UTC"))
    intercept[IllegalArgumentException](RowFormats.encoder("xml", rows.schema, Map.empty, "UTC"))
  }

  test("each encoder has the suffix of its format") {
    assert(JsonEncoder().suffix === ".json")
    assert(CsvEncoder().suffix === ".csv")
    assert(CsvEncoder(Map("extension" -> "tsv")).suffix === ".tsv")
  }

  test("Spark reads written rows back in order") {
    val dir = Files.createTempDirectory("stoplog-formats")
    Files.write(dir.resolve("part.json"), ours("json", rows, Map.empty))
    def shown(df: DataFrame) = df.selectExpr("to_json(struct(*))").collect().map(_.getString(0)).toSeq
    assert(shown(spark.read.schema(rows.schema).json(dir.toString)) === shown(rows))
  }

  test("csv: a null in a single column is an error without nullValue") {
    val nulls = spark.sql("SELECT * FROM VALUES ('a'), (null) AS t(only)")
    assert(new String(sparks("csv", nulls, Map.empty)) === "a\n")
    val e = intercept[Exception](ours("csv", nulls, Map.empty)).asInstanceOf[SparkThrowable]
    assert(e.getCondition === "STOPLOG_NULL_VALUE")
    assert(e.getMessageParameters.get("column") === "only")
    assert(new String(ours("csv", nulls, Map("nullValue" -> "-"))) === "a\n-\n")
  }
}
