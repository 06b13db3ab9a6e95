// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.Thrown
import stoplog.{FileSource, FileSourceBuilder}
import stoplog.docs.Repository
import stoplog.format.SparkSessionForTests
import stoplog.format.read.SimpleRows
import stoplog.source.format._

/** Formats of one's own, and files of records that begin with their lengths, through Spark. */
class OwnFormatsSuite extends AnyFunSuite with SparkSessionForTests {
  private val measurements = classOf[MeasurementFormat].getName

  test("the example in the documentation equals the tested code") {
    val page = Repository.read(Repository.root.resolve("docs/files/source.md"))
    val code = Repository.read(
      Repository.root.resolve("scala-core/src/test/scala/stoplog/source/format/MeasurementFormat.scala")
    )
    assert(page.contains(code.substring(code.indexOf("final case class")).trim))
  }

  test("a batch reads a format by class name: columns, metadata and several tasks") {
    val in = new Input
    Files.write(in.root.resolve("a.bin"), Measurements.bytes(1000000))
    val all = FileSource.forRecordStreamFormat(measurements, in.root.toString).build().read(spark).load()
    assert(all.schema.toDDL === "sensor INT,value DOUBLE")
    assert(all.rdd.getNumPartitions > 1)
    assert(
      all.selectExpr("count(*)", "sum(sensor)", "sum(value)").head() === Row(
        1000000,
        500000500000L,
        125000125000.0
      )
    )
    assert(
      all.filter("sensor = 77").selectExpr("value", "_metadata.position").head() === Row(77 / 4.0, 76 * 12)
    )
    val one =
      FileSource.forRecordStreamFormat(measurements, in.root.toString).withOption("columns", "value").build()
    assert(one.read(spark).load().schema.fieldNames.toSeq === Seq("value"))
  }

  test("a format instance with settings streams and resumes in the middle of files") {
    val in = new Input
    in.write("a.txt", (1 to 50).mkString(","))
    in.gzip("b.txt.gz", (51 to 100).mkString(","))
    val source = FileSource.forRecordStreamFormat(new SeparatedFormat(","), in.root.toString)
    val place  = new TestDirectory
    assert(rowsOf(source.withMaxRowsPerTrigger(30), place) === Seq(30, 30, 30, 10))
    in.write("c.txt", "101,102")
    assert(rowsOf(source.withMaxRowsPerTrigger(30), place) === Seq(2))
    assert(place.lines.map(_.toInt).sorted === (1 to 102))
  }

  test("selects fields of a struct column") {
    val in = new Input
    in.write("day=1/a.txt", "1,2")
    val all = FileSource
      .forRecordStreamFormat(classOf[NestedFormat].getName, in.root.toString)
      .build()
      .read(spark)
      .load()
    assert(all.select("s.y").collect().toSeq === Seq(Row("y1"), Row("y2")))
    assert(
      all.where("s.x = 2").selectExpr("id", "day", "s.y", "_metadata.file_name").head() === Row(
        2,
        1,
        "y2",
        "a.txt"
      )
    )
    assert(all.selectExpr("all.x", "transform(all, one -> one.y)").head() === Row(Seq(1), Seq("y1")))
  }

  test("reads a format class with a parameter from several paths") {
    val in = new Input
    in.write("a/1.txt", "1;2")
    in.write("b/2.txt", "3")
    in.write("c/3.txt", "4")
    val source = FileSource
      .forRecordStreamFormat(classOf[ConfiguredFormat].getName, s"${in.root}/a", s"${in.root}/b")
      .withOption("format.separator", ";")
    assert(source.build().read(spark).load().collect().map(_.getInt(0)).toSet === Set(1, 2, 3))
    val place = new TestDirectory
    assert(rowsOf(source, place) === Seq(3))
    assert(place.lines === Seq("1", "2", "3"))
  }

  test("a batch format without positions is split between batches") {
    val in = new Input
    in.write("a.txt", (1 to 100).mkString(","))
    val place  = new TestDirectory
    val source = FileSource.forBulkFileFormat(new NumberBatches, in.root.toString).withMaxRowsPerTrigger(35)
    assert(rowsOf(source, place) === Seq(30, 30, 30, 10))
    assert(place.lines.map(_.toInt).sorted === (1 to 100))
  }

  test("a bulk format is split between its batches") {
    val in = new Input
    Files.write(in.root.resolve("a.bin"), Measurements.bytes(100))
    val source =
      FileSource.forBulkFileFormat(new MeasurementBatches, in.root.toString).withMaxRowsPerTrigger(35)
    assert(rowsOf(source, new TestDirectory) === Seq(30, 30, 30, 10))
  }

  test("rejects missing classes, options without effect and unknown columns") {
    val in = new Input
    in.write("a.bin", "")
    def said(options: (String, String)*) = intercept[IllegalArgumentException](
      spark.read.format("stoplog").options(options.toMap).load(in.root.toString).collect()
    ).getMessage
    assert(said("format" -> "com.example.None").contains("there is no class com.example.None"))
    assert(said("format" -> classOf[NoFiles].getName).contains("which is not a StreamFormat"))
    assert(
      said("format" -> measurements, "lineSep" -> "x").contains(s"lineSep has no effect with $measurements")
    )
    val wrong = intercept[IllegalArgumentException](
      spark.read
        .format("stoplog")
        .schema("sensor BIGINT")
        .option("format", measurements)
        .load(in.root.toString)
        .collect()
    )
    assert(
      wrong.getMessage.contains("the schema has sensor BIGINT, but the columns of the format are sensor INT")
    )
  }

  test("reads length-delimited records, plain and compressed, and rejects a record above the limit") {
    val in    = new Input
    val words = (1 to 100).map(n => s"$n:" + "x" * (n * 3))
    Files.write(in.root.resolve("a.pb"), Delimited.bytes(LengthPrefix.Varint, words))
    val all = FileSource.forRecordStreamFormat("lengthDelimited", in.root.toString)
    assert(strings(all.build().read(spark).load()) === words.sorted)
    assert(all.build().read(spark).load().count() === 100)
    val place = new TestDirectory
    assert(rowsOf(all.withMaxBytesPerTrigger(8000), place, "CAST(value AS STRING)").sum === 100)
    assert(place.lines === words.sorted)
    assert(
      rowsOf(all.withMaxRowsPerTrigger(40), new TestDirectory, "CAST(value AS STRING)") === Seq(40, 40, 20)
    )
    val big = new Input
    Files.write(
      big.root.resolve("a.pb"),
      Delimited.bytes(LengthPrefix.Int32LittleEndian, Seq("ant", "y" * 2000))
    )
    val read = FileSource
      .forRecordStreamFormat("lengthDelimited", big.root.toString)
      .withOption("lengthPrefix", "int32le")
    assert(read.build().read(spark).load().count() === 2)
    val error =
      intercept[Exception](read.withOption("maxRecordSize", "1k").build().read(spark).load().collect())
    val said = Thrown.text(error)
    assert(said.contains("STOPLOG_SOURCE_FILE_UNREADABLE") && said.contains("a.pb"))
    assert(said.contains("the record at byte 7 has 2000 bytes"))
  }

  test("reads multi-line json and csv like Spark") {
    val in = new Input
    in.write("a.json", "\uFEFF[{\"id\": 1,\n \"word\": \"ant\"},\n {\"id\": 2}]")
    in.gzip("b.json.gz", "{\"id\": 3,\n \"word\": \"cat\"}")
    val json = multiLine(in, "json", "id INT, word STRING")
    assert(json.orderBy("id").collect().toSeq === Seq(Row(1, "ant"), Row(2, null), Row(3, "cat")))
    assert(json.count() === 3)
    val table = new Input
    table.write("a.csv", "id,word\n1,\"a\nb\"\n2,c\n")
    val csv = multiLine(table, "csv", "id INT, word STRING", "header" -> "true")
    assert(csv.orderBy("id").collect().toSeq === Seq(Row(1, "a\nb"), Row(2, "c")))
    assert(csv.select("word", "_metadata.file_name").where("word = 'c'").head() === Row("c", "a.csv"))
    val latin = new Input
    Files.write(latin.root.resolve("a.csv"), "1,\"\u00e4\n\"".getBytes("ISO-8859-1"))
    assert(
      multiLine(latin, "csv", "id INT, word STRING", "charset" -> "ISO-8859-1").head() === Row(1, "\u00e4\n")
    )
  }

  private def multiLine(in: Input, format: String, columns: String, options: (String, String)*): DataFrame =
    spark.read
      .format("stoplog")
      .schema(columns)
      .options(Map("format" -> format, "multiLine" -> "true") ++ options)
      .load(in.root.toString)

  private def strings(rows: DataFrame): Seq[String] =
    rows.selectExpr("CAST(value AS STRING)").collect().map(_.getString(0)).toSeq.sorted

  /** The rows of each micro-batch. */
  private def rowsOf(
      source: FileSourceBuilder,
      place: TestDirectory,
      column: String = "CAST(1 AS STRING)"
  ): Seq[Long] = {
    val rows  = source.build().stream(spark)
    val value = if (rows.columns.contains("number")) "CAST(number AS STRING)" else column
    place.copy(rows.selectExpr(value)).recentProgress.map(_.numInputRows).filter(_ > 0).toSeq
  }
}

/** Numbers with something between them. */
/** In batches of ten. */
final class NumberBatches extends StreamFormatAdapter(new SeparatedFormat(","), 10) with SimpleRows[Int] {
  override def schema: StructType    = StructType.fromDDL("number INT")
  override def row(number: Int): Row = Row(number)
}

final class ConfiguredFormat(parameters: java.util.Map[String, String])
    extends SimpleStreamFormat[Int]
    with SimpleRows[Int] {
  private val plain                  = new SeparatedFormat(parameters.get("separator"))
  override def schema: StructType    = plain.schema
  override def row(number: Int): Row = plain.row(number)
  override def reader(in: java.io.InputStream): RecordReader[Int] = plain.reader(in)
}

final class SeparatedFormat(separator: String) extends SimpleStreamFormat[Int] with SimpleRows[Int] {
  override def schema: StructType    = StructType.fromDDL("number INT")
  override def row(number: Int): Row = Row(number)

  override def reader(in: java.io.InputStream): RecordReader[Int] = new RecordReader[Int] {
    private val numbers             = new java.util.Scanner(in, "UTF-8").useDelimiter(separator)
    private var number              = 0
    override def advance(): Boolean = numbers.hasNext && {
      number = numbers.next().toInt
      true
    }
    override def record: Int   = number
    override def close(): Unit = numbers.close()
  }
}

/** Numbers, each also as a struct and as the only one of an array of them. */
final class NestedFormat extends SimpleStreamFormat[Int] with SimpleRows[Int] {
  private val one                 = "STRUCT<x: INT, y: STRING>"
  override def schema: StructType = StructType.fromDDL(s"id INT, s $one, all ARRAY<$one>")

  override def row(number: Int): Row = {
    val struct = Row(number, s"y$number")
    Row(number, struct, Seq(struct))
  }

  override def reader(in: java.io.InputStream): RecordReader[Int] = new SeparatedFormat(",").reader(in)
}

/** Measurements, ten at a time. */
final class MeasurementBatches
    extends StreamFormatAdapter[Measurement](new MeasurementFormat, batchRecords = 10)
    with SimpleRows[Measurement] {
  override def schema: StructType                 = new MeasurementFormat().schema
  override def row(measurement: Measurement): Row = new MeasurementFormat().row(measurement)
}

/** Rows of nothing. */
final class NoFiles extends SimpleRows[String] {
  override def schema: StructType     = new StructType()
  override def row(text: String): Row = Row()
}
