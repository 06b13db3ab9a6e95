// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.avro.file.{DataFileReader, SeekableByteArrayInput}
import org.apache.avro.generic.{GenericDatumReader, GenericRecord}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{CalendarIntervalType, StructType}
import org.apache.spark.sql.{DataFrame, Row}
import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.{Comparable, SparkSessionForTests}
import stoplog.format.bulk.{GrowingPart, RandomRows}

/** Parts that several processes wrote one after another, against Spark's and Avro's own readers. */
class AvroFormatSuite extends AnyFunSuite with SparkSessionForTests {

  private val everyType = StructType.fromDDL(
    """ok BOOLEAN, b TINYINT, s SMALLINT, i INT, l BIGINT NOT NULL, f FLOAT, d DOUBLE, text STRING, raw BINARY,
      |day DATE, at TIMESTAMP, wall TIMESTAMP_NTZ, dec DECIMAL(9, 2), big DECIMAL(38, 10), years INTERVAL YEAR TO MONTH,
      |span INTERVAL DAY TO SECOND, list ARRAY<INT>, names MAP<STRING, DECIMAL(12, 4)>,
      |deep STRUCT<a: INT, inner: STRUCT<b: ARRAY<STRUCT<c: TIMESTAMP>>, m: MAP<STRING, ARRAY<STRING>>>>""".stripMargin
  )

  private val plain = StructType.fromDDL("id BIGINT, name STRING")

  private def frame(schema: StructType, rows: Seq[Row]): DataFrame =
    spark.createDataFrame(rows.asJava, schema)

  private def internal(df: DataFrame): Seq[InternalRow] =
    df.queryExecution.executedPlan.executeCollect().toSeq

  private def numbered(from: Int, count: Int): Seq[InternalRow] =
    internal(
      spark.range(from.toLong, from.toLong + count).selectExpr("id", "repeat(cast(id as string), 9) AS name")
    )

  private def format(schema: StructType, options: (String, String)*): AvroFormat =
    GrowingPart.sent(AvroFormat(schema, options.toMap, spark))

  private def part(settled: AvroFormat, schema: StructType, epochs: Seq[InternalRow]*): GrowingPart = {
    val part = new GrowingPart
    epochs.foreach(rows => part.epoch(GrowingPart.sent(settled), schema, rows))
    part
  }

  private def bySpark(bytes: Array[Byte], schema: StructType): Seq[String] = {
    val file = Files.write(Files.createTempDirectory("stoplog-avro").resolve("part-0.avro"), bytes)
    // What the short name avro stands for, where the module spark-avro is.
    shown(spark.read.format("org.apache.spark.sql.avro.AvroFileFormat").load(file.toString), schema)
  }

  private def shown(df: DataFrame, schema: StructType): Seq[String] =
    df.select(schema.fieldNames.map(df(_)).toIndexedSeq: _*).collect().toSeq.map(Comparable.text)

  private def opened[A](bytes: Array[Byte])(use: DataFileReader[GenericRecord] => A): A = {
    val reader = new DataFileReader[GenericRecord](
      new SeekableByteArrayInput(bytes),
      new GenericDatumReader[GenericRecord]
    )
    try use(reader)
    finally reader.close()
  }

  private def ids(bytes: Array[Byte]): Seq[Long] =
    opened(bytes)(_.iterator.asScala.map(_.get("id").asInstanceOf[Long]).toSeq)

  private def assertNumbered(bytes: Array[Byte], count: Int): Unit = {
    val found = ids(bytes)
    assert(found.size === count)
    assert(found.zipWithIndex.forall { case (id, at) => id == at })
  }

  for (seed <- 1 to 6)
    test(s"Spark's reader returns rows of all types, seed $seed") {
      val rows    = new RandomRows(seed.toLong).rows(everyType, 120)
      val df      = frame(everyType, rows)
      val settled = format(everyType)
      val epochs  = internal(df).grouped((120 + seed - 1) / seed).toSeq
      assert(epochs.size === seed)
      assert(bySpark(part(settled, everyType, epochs: _*).bytes, everyType) === shown(df, everyType))
    }

  for (codec <- Seq("uncompressed", "deflate", "snappy", "bzip2", "xz", "zstandard"))
    test(s"$codec: a part truncated to the end of any epoch is complete and resumes") {
      val settled = format(plain, "compression" -> codec)
      val part    = new GrowingPart
      val epochs  = Seq(numbered(0, 10), Nil, numbered(10, 3000), numbered(3010, 1))
      val ends    = epochs.map { rows =>
        part.epoch(GrowingPart.sent(settled), plain, rows)
        part.bytes.length
      }
      for ((end, epoch) <- ends.zipWithIndex) {
        val kept = epochs.take(epoch + 1).map(_.size).sum
        val cut  = part.cutBackTo(end)
        assertNumbered(cut.bytes, kept)
        cut.epoch(GrowingPart.sent(settled), plain, numbered(kept, 7), numbered(kept + 7, 2))
        assertNumbered(cut.bytes, kept + 9)
      }
      assert(
        opened(part.bytes)(_.getMetaString("avro.codec")) === Map("uncompressed" -> "null")
          .getOrElse(codec, codec)
      )
    }

  test("a part without rows is a valid empty file") {
    assert(ids(part(format(plain), plain, Nil).bytes) === Nil)
  }

  test("the header equals Spark's header plus user metadata") {
    val directory = Files.createTempDirectory("stoplog-avro").resolve("out")
    frame(plain, Nil)
      .coalesce(1)
      .write
      .format("org.apache.spark.sql.avro.AvroFileFormat")
      .save(directory.toString)
    val sparks = meta(Files.readAllBytes(onlyPart(directory)))
    assert(meta(part(format(plain), plain, Nil).bytes) === sparks)
    val ours = meta(part(format(plain, "Metadata.Owner" -> "sales ä"), plain, Nil).bytes)
    assert(ours === sparks + ("Owner" -> "sales ä"))
  }

  private def onlyPart(directory: Path): Path =
    Files.list(directory).iterator.asScala.find(_.getFileName.toString.startsWith("part-")).get

  private def meta(bytes: Array[Byte]): Map[String, String] =
    opened(bytes)(reader => reader.getMetaKeys.asScala.map(key => key -> reader.getMetaString(key)).toMap)

  test("Spark's options set the record name and the Avro schema") {
    def schema(options: (String, String)*) =
      opened(part(format(plain, options: _*), plain, numbered(0, 2)).bytes)(_.getSchema)
    assert(schema("recordName" -> "Sale", "recordNamespace" -> "shop").getFullName === "shop.Sale")
    val userSchema =
      """{"type":"record","name":"R","fields":[{"name":"name","type":"string"},{"name":"id","type":"long"}]}"""
    assert(schema("avroSchema" -> userSchema).getField("name").pos === 0)
    val file =
      Files.write(Files.createTempDirectory("stoplog-avro").resolve("r.avsc"), userSchema.getBytes("utf8"))
    assert(schema("avroSchemaUrl" -> file.toString).getName === "R")
    val other =
      """{"type":"record","name":"R","fields":[{"name":"number","type":"long"},{"name":"word","type":"string"}]}"""
    assert(schema("avroSchema" -> other, "positionalFieldMatching" -> "true").getField("word").pos === 1)
    intercept[Exception](format(plain, "avroSchema" -> other))
  }

  test("codec and level default to the session and stay fixed for a part") {
    val (codec, level)              = ("spark.sql.avro.compression.codec", "spark.sql.avro.deflate.level")
    def length(settled: AvroFormat) = part(settled, plain, numbered(0, 20000)).bytes.length
    val (slow, fast)                =
      try {
        spark.conf.set(codec, "deflate")
        spark.conf.set(level, "9")
        val slow = format(plain)
        spark.conf.set(level, "1")
        (slow, format(plain))
      } finally Seq(codec, level).foreach(spark.conf.unset)
    assert(opened(part(slow, plain, Nil).bytes)(_.getMetaString("avro.codec")) === "deflate")
    assert(length(slow) < length(fast))
    assert(opened(part(format(plain), plain, Nil).bytes)(_.getMetaString("avro.codec")) === "snappy")
  }

  test("accepts stoplog's codec names, and the driver rejects unknown codecs") {
    def codec(name: String) =
      opened(part(format(plain, "compression" -> name), plain, Nil).bytes)(_.getMetaString("avro.codec"))
    assert(Seq("none", "ZSTD", "snappy").map(codec) === Seq("null", "zstandard", "snappy"))
    intercept[Exception](format(plain, "compression" -> "lzo"))
    intercept[Exception](format(plain, "metadata.avro.codec" -> "xz"))
  }

  test("old dates are rebased by the session's mode at the start of the part") {
    val old = frame(
      StructType.fromDDL("day DATE, at TIMESTAMP"),
      Seq(Row(java.sql.Date.valueOf("1001-01-01"), java.sql.Timestamp.valueOf("1001-01-01 01:02:03.123456")))
    )
    val key     = "spark.sql.avro.datetimeRebaseModeInWrite"
    val settled =
      try {
        spark.conf.set(key, "LEGACY")
        format(old.schema)
      } finally spark.conf.unset(key)
    val bytes = part(settled, old.schema, internal(old)).bytes
    assert(opened(bytes)(_.getMetaString("org.apache.spark.legacyDateTime")) === "")
    assert(bySpark(bytes, old.schema) === shown(old, old.schema))
    assert(
      opened(bytes)(_.next().get("day")) !== opened(
        part(format(old.schema), old.schema, internal(old)).bytes
      )(_.next().get("day"))
    )
  }

  test("the promised header changes with the session and the schema file") {
    val file                                  = Files.createTempDirectory("stoplog-avro").resolve("r.avsc")
    def promised(settings: (String, String)*) = {
      settings.foreach { case (key, value) => spark.conf.set(key, value) }
      try format(plain, "avroSchemaUrl" -> file.toString).promised
      finally settings.foreach { case (key, _) => spark.conf.unset(key) }
    }
    def schema(name: String) = Files.writeString(
      file,
      s"""{"type":"record","name":"$name","fields":[{"name":"id","type":"long"},{"name":"name","type":"string"}]}"""
    )
    val (codec, zone) = ("spark.sql.avro.compression.codec", "spark.sql.session.timeZone")
    val legacy        = "spark.sql.avro.datetimeRebaseModeInWrite" -> "LEGACY"
    schema("R")
    val usual = promised()
    assert(promised(zone -> "Asia/Tokyo") === usual)
    val others = Seq(
      promised(codec        -> "deflate"),
      promised(codec        -> "deflate", "spark.sql.avro.deflate.level" -> "1"),
      promised(legacy, zone -> "UTC"),
      promised(legacy, zone -> "Asia/Tokyo"), {
        schema("S")
        promised()
      }
    )
    assert((usual +: others).distinct.size === 6, others)
  }

  test("rejects a column that Spark's writer rejects, by name and type") {
    val refused =
      intercept[Exception](format(plain.add("i", CalendarIntervalType))).asInstanceOf[SparkThrowable]
    assert(refused.getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(
      refused.getMessageParameters.asScala.toMap === Map(
        "format" -> "avro",
        "column" -> "i",
        "why"    -> "its type is interval"
      )
    )
    intercept[Exception](format(StructType.fromDDL("v VARIANT")))
    def why(columns: String) =
      intercept[Exception](format(StructType.fromDDL(columns))).asInstanceOf[SparkThrowable]
    val inside = why("id INT, tags ARRAY<MAP<INT, STRING>>, other MAP<INT, STRING>")
    assert(inside.getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(inside.getMessageParameters.get("column") === "tags")
    for (field <- Seq("INT", "STRUCT<x: INT>", "STRUCT<`x y`: INT>")) {
      val name = why(s"id INT, `a.b` $field")
      assert(
        name.getCondition === "STOPLOG_UNSUPPORTED_COLUMN" && name.getMessageParameters.get(
          "column"
        ) === "a.b"
      )
    }
  }

  test("a row that cannot be written does not affect other rows of its block") {
    val userSchema =
      """{"type":"record","name":"R","fields":[{"name":"id","type":"long"},{"name":"name","type":"string"}]}"""
    val format = AvroFormat(plain, Map("avroSchema" -> userSchema), spark)
    val end    = new GrowingPart.End(Array.empty)
    val writer = format.writer(end, "part-0")
    val bad    = internal(frame(plain, Seq(Row(7L, null)))).head
    numbered(0, 3).foreach(writer.write)
    intercept[stoplog.writing.BadRow](writer.write(bad))
    numbered(3, 2).foreach(writer.write)
    writer.sync()
    writer.close()
    assert(ids(end.bytes) === (0L until 5L))
  }

  test("bufferedBytes counts unwritten bytes and stays below a block") {
    val format = AvroFormat(plain, Map("avro.mapred.sync.interval" -> "4000", "compression" -> "none"), spark)
    val end    = new GrowingPart.End(Array.empty)
    val writer = format.writer(end, "part-0")
    val sizes  = numbered(0, 2000).map { row =>
      writer.write(row)
      end.position + writer.bufferedBytes
    }
    assert(sizes === sizes.sorted)
    assert(writer.bufferedBytes > 0 && writer.bufferedBytes < 4100)
    val estimated = end.position + writer.bufferedBytes
    writer.sync()
    assert(writer.bufferedBytes === 0)
    assert(end.position - estimated < 30) // a block's count, size and marker
    writer.close()
  }

  test("the block marker depends on the part only and equals in every process") {
    val settled = format(plain)
    assert(part(settled, plain, numbered(0, 9)).bytes === part(settled, plain, numbered(0, 9)).bytes)
    val other = new GrowingPart("part-7f3a-1")
    other.epoch(GrowingPart.sent(settled), plain, numbered(0, 9))
    assert(other.bytes !== part(settled, plain, numbered(0, 9)).bytes)
  }
}
