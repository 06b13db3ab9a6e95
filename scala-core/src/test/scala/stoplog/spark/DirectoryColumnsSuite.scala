// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.types.{DateType, StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.{StoplogException, Thrown}
import stoplog.format.SparkSessionForTests
import stoplog.format.read.DirectoryColumns
import stoplog.format.read.DirectoryColumns.Names
import stoplog.storage.SourceFile

/** Columns that names of directories tell. */
class DirectoryColumnsSuite extends AnyFunSuite with SparkSessionForTests {

  private def rows: DataFrame = spark
    .range(60)
    .selectExpr(
      "id",
      "date_add(DATE '2026-11-20', CAST(id % 3 AS INT)) AS day",
      "concat('w', id) AS word",
      "nullif(concat('a/b=', id % 2, ' %'), 'a/b=1 %') AS kind"
    )

  for (format <- Seq("json", "csv", "parquet", "orc", "avro"))
    test(s"$format: the source reads partition columns of the sink in any order of columns") {
      val in = new Input
      write(in, format)
      for (
        columns <- Seq(
          "id BIGINT, day DATE, word STRING, kind STRING",
          "id BIGINT, word STRING, day DATE, kind STRING"
        )
      ) {
        val read =
          spark.read.format("stoplog").schema(columns).option("format", format).load(in.root.toString)
        val back = read.select("id", "day", "word", "kind")
        assert(back.exceptAll(rows).isEmpty && back.count() === 60)
        assert(read.filter("day = DATE '2026-11-21' AND kind IS NULL").count() === 10)
        assert(read.selectExpr("max(day)").head() === Row(java.sql.Date.valueOf("2026-11-22")))
        assert(
          read.where("id = 7").selectExpr("kind", "_metadata.file_size > 0", "word").head() === Row(
            null,
            true,
            "w7"
          )
        )
      }
    }

  test("names and values that need or resemble escapes survive a round trip") {
    val in     = new Input
    val values = Seq("a%2Fb", "100%", "%", "a=b", "x y", "%252F")
    val rows   = spark.createDataFrame(values.zipWithIndex).toDF("a/b=c%25", "id")
    FileSink
      .fromOptions(
        java.util.Map.of("path", in.root.toString, "format", "csv", "partitionBy", "`a/b=c%25`")
      )
      .write(rows)
      .save()
    def read = spark.read.format("stoplog").option("format", "csv")
    val back = read.schema("id INT, `a/b=c%25` STRING").load(in.root.toString)
    assert(back.orderBy("id").collect().map(_.getString(1)).toSeq === values)
    assert(back.where("`a/b=c%25` = 'a%2Fb'").collect().toSeq === Seq(Row(0, "a%2Fb")))
    val text = new Input
    text.write("a%2Fb=7%25/a.txt", "ant\n")
    assert(
      spark.read.format("stoplog").option("format", "text").load(text.root.toString).collect().toSeq ===
        spark.read.text(text.root.toString).collect().toSeq
    )
  }

  test("without a schema, partition columns follow the file columns, with types that Spark infers") {
    val in = new Input
    write(in, "parquet")
    val read = spark.read.format("stoplog").option("format", "parquet").load(in.root.toString)
    assert(read.schema.fieldNames.toSeq === Seq("id", "word", "day", "kind"))
    assert(read.schema("day").dataType === DateType && read.schema("kind").dataType === StringType)
    assert(read.select("id", "day", "word", "kind").exceptAll(rows).isEmpty)
    val text = new Input
    text.write("hour=7/a.txt", "ant\n")
    text.write("hour=11/b.txt", "bat\n")
    val lines = spark.read.format("stoplog").option("format", "text").load(text.root.toString)
    assert(lines.orderBy("hour").collect().toSeq === Seq(Row("ant", 7), Row("bat", 11)))
  }

  test("partition columns have the types that Spark's own source infers") {
    val cases = Seq(
      Seq("1", "02", "-3"),
      Seq("1", "3000000000"),
      Seq("1", "1.5"),
      Seq("3000000000", "x"),
      Seq("2026-11-21"),
      Seq("2026-11-21", "2026-11-21 10%3A00%3A00"),
      Seq("2026-11-21", "7"),
      Seq("12345678901234567890"),
      Seq("1", "__HIVE_DEFAULT_PARTITION__"),
      Seq("1d"),
      Seq("2026-11-21--20")
    )
    for (values <- cases) {
      val in = new Input
      values.foreach(value => in.write(s"k=$value/a.txt", "x\n"))
      val ours   = spark.read.format("stoplog").option("format", "text").load(in.root.toString)
      val sparks = spark.read.text(in.root.toString)
      assert(ours.schema("k").dataType === sparks.schema("k").dataType, values)
      assert(ours.collect().map(_.toString).sorted === sparks.collect().map(_.toString).sorted)
    }
  }

  test("the source reads directory values in any time zone that Spark supports") {
    val in = new Input
    in.write("n=1/at=2026-01-31 12%3A00%3A00/a.txt", "ant\n")
    val before = spark.conf.get("spark.sql.session.timeZone")
    try
      for (zone <- Seq("PST", "GMT+8:00")) {
        spark.conf.set("spark.sql.session.timeZone", zone)
        val rows = spark.read.format("stoplog").option("format", "text").load(in.root.toString)
        assert(rows.collect().toSeq === spark.read.text(in.root.toString).collect().toSeq)
      }
    finally spark.conf.set("spark.sql.session.timeZone", before)
  }

  test("with case sensitivity, a directory provides no column of another case") {
    val in = new Input
    in.write("day=7/a.json", "{\"Day\":1,\"day\":2}\n")
    def read(columns: String) =
      spark.read.format("stoplog").schema(columns).option("format", "json").load(in.root.toString).collect()
    assert(read("DAY INT").toSeq === Seq(Row(7)))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try assert(read("Day INT, day INT").toSeq === Seq(Row(1, 7)))
    finally spark.conf.unset("spark.sql.caseSensitive")
  }

  test("the source does not list directories that a filter excludes") {
    val in = new Input
    write(in, "parquet")
    in.write("day=2026-11-20/kind=x/broken.parquet", "no parquet")
    def read(where: String) = spark.read
      .format("stoplog")
      .schema("id BIGINT, day DATE, kind STRING")
      .option("format", "parquet")
      .load(in.root.toString)
      .where(where)
      .count()
    assert(read("day > DATE '2026-11-20'") === 40)
    assert(read("day IN (DATE '2026-11-21', DATE '2026-11-22') AND id >= 0") === 40)
    assert(read("kind IS NULL") === 30)
    assert(read("kind LIKE 'a%' OR day = DATE '2026-11-22'") === 40)
    intercept[Exception](read("day = DATE '2026-11-20' OR id = 1"))
  }

  test("a stream reads partition columns, and needs partitionColumns for directories that appear later") {
    val in    = new Input
    val place = new TestDirectory
    Files.createDirectories(in.root.resolve("day=1"))
    run(in, place)
    in.write("day=1/a.csv", "1,ant\n")
    in.write("day=2/a.csv", "2,bat\n")
    run(in, place)
    assert(place.lines === Seq("1 1 ant", "2 2 bat"))
    val later = new Input
    later.write("first.csv", "0,,x\n")
    later.write("day=1/a.csv", "1,ant\n")
    val error = intercept[Exception](run(later, new TestDirectory))
    val said  = Thrown.text(error)
    assert(
      said.contains(
        "its path contains day, which was not in the directory that defined the columns at the start of the query"
      )
    )
    Files.delete(later.root.resolve("first.csv"))
    val told = new TestDirectory
    val good = start(
      new Input,
      told,
      Trigger.AvailableNow(),
      "partitionColumns" -> "day",
      "path"             -> later.root.toString
    )
    good.awaitTermination()
    assert(told.lines === Seq("1 1 ant"))
  }

  test("rejects a directory with a further column unless the user has named the columns") {
    val columns                                 = StructType.fromDDL("id INT, day INT")
    def check(names: Names, path: String): Unit =
      DirectoryColumns.of(columns, names, "UTC").check(SourceFile(s"$path/a.csv", 1, 1), s"/in/$path/a.csv")
    for (path <- Seq("day=2/hour=3", "hour=3", "day=2/id=3")) {
      val error = intercept[StoplogException](check(Names.Found(Seq("day")), path))
      assert(error.getCondition === "STOPLOG_SOURCE_FILE_UNREADABLE")
      assert(
        error.getMessage.contains(
          "which was not in the directory that defined the columns at the start of the query: set partitionColumns"
        )
      )
    }
    for (path <- Seq("day=2", "DAY=2", "other", "day=2/other")) check(Names.Found(Seq("day")), path)
    for (path <- Seq("day=2/hour=3", "hour=3")) check(Names.Set(Seq("day")), path)
    check(Names.Found(Nil), "hour=3")
    intercept[StoplogException](check(Names.Found(Nil), "id=3"))
    // Not named by the user's columns: these are all that are wanted.
    check(Names.Found(Seq("day", "hour")), "day=2/hour=3")
  }

  private def write(in: Input, format: String): Unit =
    FileSink
      .fromOptions(
        java.util.Map.of("path", in.root.toString, "format", format, "partitionBy", "day,kind")
      )
      .write(rows)
      .save()

  private def run(in: Input, place: TestDirectory): Unit =
    start(in, place, Trigger.AvailableNow()).awaitTermination()

  private def start(in: Input, place: TestDirectory, trigger: Trigger, options: (String, String)*) =
    spark.readStream
      .format("stoplog")
      .schema("id INT, day INT, word STRING")
      .options(Map("format" -> "csv", "path" -> in.root.toString) ++ options)
      .load()
      .selectExpr("concat_ws(' ', id, day, word)")
      .writeStream
      .format("text")
      .option("checkpointLocation", place.checkpoint)
      .trigger(trigger)
      .start(place.out)
}
