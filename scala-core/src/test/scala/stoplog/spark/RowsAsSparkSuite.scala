// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import com.github.luben.zstd.Zstd
import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.error.Thrown
import stoplog.format.SparkSessionForTests

/** The rows of files are those that Spark's own sources read from them, whatever the user says of the columns. */
class RowsAsSparkSuite extends AnyFunSuite with SparkSessionForTests {

  private val flat = new StructType()
    .add("c1", IntegerType, nullable = false)
    .add("c2", IntegerType, nullable = false)

  private val nested = flat
    .add("s", new StructType().add("x", IntegerType, nullable = false), nullable = false)
    .add("l", ArrayType(IntegerType, containsNull = false), nullable = false)
    .add("m", MapType(StringType, IntegerType, valueContainsNull = false), nullable = false)

  private val holes =
    Seq("""{"c1":1}""", """{"c2":2,"s":{},"l":[1,null],"m":{"k":null}}""", """{"c1":3,"s":{"x":4}}""")

  for (format <- Seq("json", "csv", "parquet", "orc", "avro"))
    test(s"$format: a NOT NULL column of the user's schema may be null at any depth") {
      val schema = if (format == "csv") flat else nested
      val in     = new Input
      val where  = in.root.resolve("in").toString
      if (format == "json") in.write("in/a.json", holes.mkString("\n"))
      else {
        val session = spark
        import session.implicits._
        spark.read.schema(schema).json(holes.toDS()).coalesce(1).write.format(sparks(format)).save(where)
      }
      val ours = spark.read.format("stoplog").schema(schema).option("format", format).load(where)
      val own  = spark.read.schema(schema).format(sparks(format)).load(where)
      assert(ours.schema === own.schema)
      assert(text(ours) === text(own))
      assert(text(ours.where("c2 IS NULL")) === text(own.where("c2 IS NULL")))
      assert(ours.where("c2 IS NULL").count() === 2)
    }

  test("a stream copies missing columns as null, not as zero") {
    val in    = new Input
    val place = new TestDirectory
    in.write("a.json", holes.mkString("\n"))
    val rows =
      spark.readStream.format("stoplog").schema(flat).option("format", "json").load(in.root.toString)
    assert(rows.schema === StructType(flat.map(_.copy(nullable = true))))
    place.copy(rows, "json")
    assert(place.lines === Seq("""{"c1":1}""", """{"c1":3}""", """{"c2":2}"""))
  }

  test("filters compare numbers of directories like Spark", LongRun.Only) {
    for (number <- Seq("DOUBLE", "FLOAT")) {
      val in    = new Input
      val where = in.root.resolve("in").toString
      spark
        .sql(s"""SELECT * FROM VALUES (1, CAST('-0.0' AS $number)), (2, CAST('0.0' AS $number)),
                | (3, CAST('NaN' AS $number)), (4, CAST('Infinity' AS $number)), (5, CAST('-1.5' AS $number)),
                | (6, NULL) AS t(i, p)""".stripMargin)
        .write
        .partitionBy("p")
        .parquet(where)
      val schema = s"i INT, p $number"
      val ours   = spark.read.format("stoplog").schema(schema).option("format", "parquet").load(where)
      val sparks = spark.read.schema(schema).parquet(where)
      // What is not like other numbers; of FLOAT, which is compared by the same code, two of them.
      val special =
        if (number == "DOUBLE") Seq("0.0", "-0.0", "NaN", "Infinity", "-1.5") else Seq("-0.0", "NaN")
      val values = special.map(v => s"CAST('$v' AS $number)")
      val tests  =
        for {
          value <- values
          by    <- Seq("=", "<=>", "<", "<=", ">", ">=", "!=")
        } yield s"p $by $value"
      for (test <- tests ++ values.map(v => s"p IN ($v, CAST('7' AS $number))") :+ "p IS NULL")
        assert(text(ours.where(test)) === text(sparks.where(test)), s"$number $test")
    }
  }

  test("partial copies of Hadoop's shell are hidden") {
    val in = new Input
    in.write("a.txt", "ant\n")
    in.write("b.txt._COPYING_", "ba")
    in.write("later._COPYING_/c.txt", "c")
    for (path <- Seq("", "/*", "/b*"))
      assert(text(read(in, "text", path)) === (if (path == "/b*") Nil else Seq("[ant]")), path)
    assert(text(read(in, "text", "/b.txt._COPYING_")) === Seq("[ba]"))
  }

  test("recognizes compressed files by all suffixes that Spark knows") {
    val in = new Input
    Files.write(in.root.resolve("a.zstd"), Zstd.compress("ant\n".getBytes(UTF_8)))
    Files.write(in.root.resolve("b.txt.ZSTD"), Zstd.compress("bat\n".getBytes(UTF_8)))
    assert(text(read(in, "text")) === Seq("[ant]", "[bat]"))
  }

  for (format <- Seq("parquet", "orc", "avro", "json", "csv"))
    test(s"$format: an empty file has no rows") {
      val in    = new Input
      val where = in.root.resolve("in").toString
      spark.range(3).selectExpr("CAST(id AS STRING) id").coalesce(1).write.format(sparks(format)).save(where)
      in.write(s"in/empty.$format", "")
      val schema = new StructType().add("id", StringType)
      val ours   = spark.read.format("stoplog").option("format", format)
      val rows   = text(spark.read.format(sparks(format)).schema(schema).load(where))
      assert(rows === Seq("[0]", "[1]", "[2]"))
      assert(text(ours.schema(schema).load(where)) === rows)
      if (!Set("json", "csv")(format))
        assert(text(spark.read.format("stoplog").option("format", format).load(where)) === rows)
      val place  = new TestDirectory
      val stream = spark.readStream
        .format("stoplog")
        .schema(schema)
        .options(Map("format" -> format, "maxRowsPerTrigger" -> "1"))
        .load(where)
      place.copy(stream)
      assert(place.lines === Seq("0", "1", "2"))
    }

  test("numbers and times of directories have the types that Spark infers") {
    val cases = Seq(
      Seq("1e3"),
      Seq("1E+3"),
      Seq("1e50"),
      Seq("1e3", "2"),
      Seq("1e3", "2.5"),
      Seq("2026-01-31 23:59:59", "2026-01-31 23:59:59.5"),
      Seq("2026-01-31 23:59:59.123456"),
      Seq("2026-01-31 23:59"),
      Seq("3000000000", "1.5"),
      Seq("12345678901234567890", "1"),
      Seq("1.0"),
      Seq("+7"),
      Seq("1e-3"),
      Seq("0e0"),
      Seq("1f"),
      Seq("NaN"),
      Seq("12345678901234567890", "1e3"),
      Seq("3000000000", "1e3")
    )
    for (values <- cases) {
      val in = new Input
      values.foreach(value => in.write(s"k=$value/a.txt", "x\n"))
      val sparks = spark.read.text(in.root.toString)
      val ours   = read(in, "text")
      assert(ours.schema === sparks.schema, values)
      assert(text(ours) === text(sparks), values)
    }
  }

  test("counts corrupt lines regardless of the faulty column") {
    val in = new Input
    in.write("json/a.json", "{\"id\":\"x\",\"n\":1}\n{\"id\":2,\"n\":2}\n{\"id\":3,\"n\":\"y\"}\n")
    in.write("csv/a.csv", "x,1\n2,2\n3,y\n")
    for (format <- Seq("json", "csv")) {
      def load(columns: String) =
        spark.read.format("stoplog").schema(columns).option("format", format).load(s"${in.root}/$format")
      val rows = load("id INT, _corrupt_record STRING, n INT")
      assert(rows.where("_corrupt_record IS NOT NULL").count() === 2, format)
      val sparks = spark.read.schema(rows.schema).format(format).load(s"${in.root}/$format")
      for (some <- Seq("id", "n"))
        assert(
          text(rows.where("_corrupt_record IS NULL").select(some)) ===
            text(sparks.where("_corrupt_record IS NULL").select(some))
        )
      val wrong = intercept[Exception](load("id INT, _corrupt_record INT").collect())
      assert(Thrown.text(wrong).contains("INVALID_CORRUPT_RECORD_TYPE"))
    }
  }

  test("json: each object of an array is a row, also with a corrupt-record column") {
    val in = new Input
    in.write(
      "day=1/a.json",
      """[{"id":1},{"id":2},{"id":3}]|[{"id":4},{"id":"x"}]|{"id":5}|broken|[]|""".replace("|", "\n")
    )
    for (columns <- Seq("id INT, _corrupt_record STRING", "_corrupt_record STRING, id INT", "id INT")) {
      val sparks = spark.read.schema(s"$columns, day INT").json(in.root.toString)
      val ours   = spark.read
        .format("stoplog")
        .schema(s"$columns, day INT")
        .option("format", "json")
        .load(in.root.toString)
      assert(text(ours) === text(sparks), columns)
      assert(
        text(ours.select("id", "_metadata.file_name")) === text(sparks.select("id", "_metadata.file_name"))
      )
    }
  }

  test("csv: unused columns are parsed if the session disables column pruning") {
    val in = new Input
    in.write("a.csv", "1\n2,2\n")
    def count() = spark.read
      .format("stoplog")
      .schema("id INT, n INT")
      .options(Map("format" -> "csv", "mode" -> "DROPMALFORMED"))
      .load(in.root.toString)
      .select("id")
      .collect()
      .length
    assert(count() === 2)
    spark.conf.set("spark.sql.csv.parser.columnPruning.enabled", "false")
    try assert(count() === 1)
    finally spark.conf.unset("spark.sql.csv.parser.columnPruning.enabled")
  }

  test("rejects duplicate column names like Spark") {
    val in = new Input
    in.write("a.json", """{"a":1}""")
    for (columns <- Seq("a INT, a INT", "aA INT, Aa INT", "s STRUCT<x: INT, X: INT>")) {
      val error = intercept[AnalysisException](
        spark.read.format("stoplog").schema(columns).option("format", "json").load(in.root.toString)
      )
      assert(error.getCondition === "COLUMN_ALREADY_EXISTS", columns)
    }
    spark.conf.set("spark.sql.caseSensitive", "true")
    try
      assert(
        spark.read
          .format("stoplog")
          .schema("a INT, A INT")
          .option("format", "json")
          .load(in.root.toString)
          .collect()
          .toSeq === Seq(Row(1, null))
      )
    finally spark.conf.unset("spark.sql.caseSensitive")
  }

  for (format <- Seq("parquet", "orc"))
    test(s"$format: mergeSchema merges the schemas of all files") {
      val in    = new Input
      val where = in.root.resolve("in").toString
      spark.range(2).selectExpr("id AS a").coalesce(1).write.format(format).save(s"$where/p=1")
      spark.range(2).selectExpr("id AS b").coalesce(1).write.format(format).save(s"$where/p=2")
      def merged(load: => DataFrame) = assert(
        load.select("a", "b", "p").collect().map(_.toString).sorted.toSeq ===
          Seq("[0,null,1]", "[1,null,1]", "[null,0,2]", "[null,1,2]")
      )
      val reader = spark.read.format("stoplog").option("format", format)
      merged(reader.option("mergeSchema", "true").load(where))
      spark.conf.set(s"spark.sql.$format.mergeSchema", "true")
      try {
        merged(spark.read.format("stoplog").option("format", format).load(where))
        val one = spark.read.format("stoplog").options(Map("format" -> format, "mergeSchema" -> "false"))
        assert(one.load(where).columns.length === 2)
      } finally spark.conf.unset(s"spark.sql.$format.mergeSchema")
    }

  test("rejects json maps without string keys, at any depth") {
    val in = new Input
    in.write("a.json", """{"a":{"m":{"1":"x"}}}""")
    for (
      columns <- Seq(
        "a MAP<INT, STRING>",
        "a STRUCT<m: MAP<INT, STRING>>",
        "a ARRAY<MAP<DATE, INT>>",
        "a MAP<STRING, MAP<INT, INT>>"
      )
    ) {
      def load = spark.read.format("stoplog").schema(columns).option("format", "json")
      for (lines <- Seq("false", "true")) {
        val error = intercept[Exception](load.option("multiLine", lines).load(in.root.toString).collect())
        assert(Thrown.text(error).contains("INVALID_JSON_SCHEMA_MAP_TYPE"), columns)
      }
    }
  }

  test("a temporary view of SQL reads the files") {
    val in = new Input
    in.write("a.json", """{"id":1,"word":"ant"}""")
    spark.sql(
      s"""CREATE TEMPORARY VIEW animals (id INT, word STRING) USING stoplog
         | OPTIONS (format 'json', path '${in.root}')""".stripMargin
    )
    assert(spark.sql("SELECT word, id FROM animals").collect().toSeq === Seq(Row("ant", 1)))
  }

  /** Its own name needs a registration that only a deployment has. */
  private def sparks(format: String): String =
    if (format == "avro") "org.apache.spark.sql.avro.AvroFileFormat" else format

  test("timeZone sets the zone of timestamp directories for partitionBy and for the source") {
    val before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")
    try {
      val rows  = spark.sql("SELECT 1 AS i, TIMESTAMP '2016-12-01 00:00:00' AS ts")
      val place = new TestDirectory
      rows.write
        .format("stoplog")
        .partitionBy("ts")
        .options(Map("format" -> "json", "timeZone" -> "UTC"))
        .mode("append")
        .save(place.out)
      assert(place.directories === Set("ts=2016-12-01 08%3A00%3A00"))
      val plain = new TestDirectory
      rows.write.format("stoplog").partitionBy("ts").option("format", "json").mode("append").save(plain.out)
      assert(plain.directories === Set("ts=2016-12-01 00%3A00%3A00"))
      val back =
        spark.read.format("stoplog").schema(rows.schema).options(Map("format" -> "json", "timeZone" -> "UTC"))
      assert(back.load(place.out).collect().toSeq === rows.collect().toSeq)
    } finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  private def read(in: Input, format: String, below: String = ""): DataFrame =
    spark.read.format("stoplog").option("format", format).load(in.root.toString + below)

  private def text(rows: DataFrame): Seq[String] = rows.collect().map(_.toString).sorted.toSeq
}
