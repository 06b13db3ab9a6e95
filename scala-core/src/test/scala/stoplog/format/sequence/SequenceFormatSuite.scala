// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.SequenceFile.{CompressionType, Reader}
import org.apache.hadoop.io._
import org.apache.hadoop.util.ReflectionUtils
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite
import stoplog.format.SparkSessionForTests
import stoplog.format.bulk.{GrowingPart, RandomRows}
import stoplog.writing.BadRow

/** Parts that several processes wrote one after another, against Hadoop's own reader and Spark's RDDs. */
class SequenceFormatSuite extends AnyFunSuite with SparkSessionForTests {

  private val plain = StructType.fromDDL("id BIGINT NOT NULL, name STRING NOT NULL")

  private val writables = Seq(
    "BOOLEAN" -> classOf[BooleanWritable],
    "INT"     -> classOf[IntWritable],
    "BIGINT"  -> classOf[LongWritable],
    "FLOAT"   -> classOf[FloatWritable],
    "DOUBLE"  -> classOf[DoubleWritable],
    "STRING"  -> classOf[Text],
    "BINARY"  -> classOf[BytesWritable]
  )

  private def internal(schema: StructType, rows: Seq[Row]): Seq[InternalRow] =
    spark.createDataFrame(rows.asJava, schema).queryExecution.executedPlan.executeCollect().toSeq

  private def numbered(from: Int, count: Int): Seq[InternalRow] =
    spark
      .range(from.toLong, from.toLong + count)
      .selectExpr("id", "repeat(cast(id as string), 9) AS name")
      .queryExecution
      .executedPlan
      .executeCollect()
      .toSeq

  private def format(schema: StructType, options: (String, String)*): SequenceFormat =
    GrowingPart.sent(SequenceFormat(schema, options.toMap, spark))

  private def part(settled: SequenceFormat, schema: StructType, epochs: Seq[InternalRow]*): GrowingPart = {
    val part = new GrowingPart
    epochs.foreach(rows => part.epoch(GrowingPart.sent(settled), schema, rows))
    part
  }

  private def file(bytes: Array[Byte]): Path =
    Files.write(Files.createTempDirectory("stoplog-sequence").resolve("part-0.seq"), bytes)

  private def opened[A](bytes: Array[Byte])(use: Reader => A): A = {
    val path   = new org.apache.hadoop.fs.Path(file(bytes).toUri)
    val reader = new Reader(new Configuration(false), Reader.file(path))
    try use(reader)
    finally reader.close()
  }

  private def pairs(bytes: Array[Byte]): Seq[(String, String)] = opened(bytes) { reader =>
    def instance(of: Class[_]) =
      ReflectionUtils.newInstance(of, new Configuration(false)).asInstanceOf[Writable]
    val (key, value) = (instance(reader.getKeyClass), instance(reader.getValueClass))
    Iterator
      .continually(reader.next(key, value))
      .takeWhile(identity)
      .map(_ => (key.toString, value.toString))
      .toList
  }

  private def assertNumbered(bytes: Array[Byte], count: Int): Unit = {
    val found = pairs(bytes)
    assert(found.size === count)
    assert(found.zipWithIndex.forall { case ((id, name), at) => id == s"$at" && name == s"$at" * 9 })
  }

  private def hadoops(value: Any): String = value match {
    case bytes: Array[Byte] => new BytesWritable(bytes).toString
    case other              => other.toString
  }

  for (((name, writable), at) <- writables.zipWithIndex)
    test(s"$name becomes ${writable.getSimpleName} as key and as value") {
      val epochs = at % 6 + 1
      for (ddl <- Seq(s"value $name NOT NULL", s"key $name NOT NULL, value $name NOT NULL")) {
        val schema = StructType.fromDDL(ddl)
        val rows   = new RandomRows(at.toLong).rows(schema, 120)
        val bytes = part(format(schema), schema, internal(schema, rows).grouped(120 / epochs).toSeq: _*).bytes
        opened(bytes) { reader =>
          assert(reader.getValueClass === writable)
          assert(reader.getKeyClass === (if (schema.size == 1) classOf[NullWritable] else writable))
        }
        val key = (row: Row) => if (row.size == 1) "(null)" else hadoops(row(0))
        assert(pairs(bytes) === rows.map(row => key(row) -> hadoops(row(row.size - 1))))
      }
    }

  private val kinds = Seq(
    CompressionType.NONE   -> Nil,
    CompressionType.RECORD -> Seq("compressionType" -> "record"),
    CompressionType.BLOCK  -> Seq("compressionType" -> "block", "compression" -> "deflate"),
    CompressionType.BLOCK  -> Seq("compression" -> "bzip2", "io.seqfile.compress.blocksize" -> "3000"),
    CompressionType.BLOCK  -> Seq("compression" -> "snappy"),
    CompressionType.RECORD -> Seq("compressionType" -> "RECORD", "compression" -> "lz4")
  )

  for ((kind, options) <- kinds)
    test(
      s"$kind ${options.map(_._2).mkString(" ")}: a part cut back to the end of any epoch is whole, and goes on"
    ) {
      val settled = format(plain, options: _*)
      val part    = new GrowingPart
      val epochs  = Seq(numbered(0, 10), Nil, Nil, numbered(10, 3000), numbered(3010, 1))
      val ends    = epochs.map { rows =>
        part.epoch(GrowingPart.sent(settled), plain, rows)
        part.bytes.length
      }
      for ((end, epoch) <- ends.zipWithIndex) {
        val kept = epochs.take(epoch + 1).map(_.size).sum
        val cut  = part.cutBackTo(end)
        assertNumbered(cut.bytes, kept)
        cut.epoch(GrowingPart.sent(settled), plain, Nil, numbered(kept, 7), numbered(kept + 7, 2), Nil)
        assertNumbered(cut.bytes, kept + 9)
      }
      assert(opened(part.bytes)(_.getCompressionType) === kind)
    }

  test("Spark splits a part at its markers and reads every row once") {
    val settled = format(plain)
    val bytes   = part(settled, plain, (0 until 40).map(at => numbered(at * 500, 500)): _*).bytes
    assert(bytes.length > 500000)
    val rows = spark.sparkContext
      .sequenceFile(file(bytes).toString, classOf[LongWritable], classOf[Text], 7)
      .map { case (key, value) => (key.get, value.toString) }
    assert(rows.getNumPartitions >= 7)
    val found = rows.collect().toSeq
    assert(found.size === 20000)
    assert(found.zipWithIndex.forall { case ((id, name), at) => id == at && name == s"$at" * 9 })
  }

  test("the header contains metadata, codec and the part's marker") {
    val settled = format(plain, "metadata.Owner" -> "sales ä", "compression" -> "bzip2")
    opened(part(settled, plain, Nil).bytes) { reader =>
      assert(reader.getMetadata.get(new Text("Owner")).toString === "sales ä")
      assert(reader.getCompressionCodec.getClass.getSimpleName === "BZip2Codec")
    }
    val epochs = Seq(numbered(0, 9), numbered(9, 9))
    assert(part(settled, plain, epochs: _*).bytes === part(settled, plain, epochs: _*).bytes)
    val other = new GrowingPart("part-7f3a-1")
    other.epoch(GrowingPart.sent(settled), plain, numbered(0, 9))
    assert(other.bytes !== part(settled, plain, numbered(0, 9)).bytes)
  }

  test("a row with a null is rejected by column name, and the writer continues") {
    val schema = StructType.fromDDL("value STRING")
    val format = SequenceFormat(schema, Map.empty, spark)
    val end    = new GrowingPart.End(Array.empty)
    val writer = format.writer(end, "part-0")
    val rows   = internal(schema, Seq(Row("a"), Row(null), Row("b")))
    writer.write(rows(0))
    val refused = intercept[BadRow](writer.write(rows(1))).getCause.asInstanceOf[SparkThrowable]
    assert(refused.getCondition === "STOPLOG_NULL_VALUE")
    assert(refused.getMessageParameters.get("column") === "value")
    writer.write(rows(2))
    writer.sync()
    writer.close()
    assert(pairs(end.bytes).map(_._2) === Seq("a", "b"))
  }

  test("the driver rejects schemas and options that a sequence file cannot store") {
    def condition(ddl: String, options: (String, String)*) =
      intercept[Exception](format(StructType.fromDDL(ddl), options: _*))
        .asInstanceOf[SparkThrowable]
        .getCondition
    assert(condition("a INT, b INT, c INT") === "STOPLOG_ROW_COLUMNS")
    val nothing = intercept[Exception](format(new StructType())).asInstanceOf[SparkThrowable]
    assert(nothing.getCondition === "STOPLOG_ROW_COLUMNS")
    assert(condition("a INT, at TIMESTAMP") === "STOPLOG_UNSUPPORTED_COLUMN")
    assert(condition("a INT", "compression" -> "nope") === "STOPLOG_INVALID_OPTIONS")
    assert(condition("a INT", "compressionType" -> "page") === "STOPLOG_INVALID_OPTIONS")
    assert(
      condition("a INT", "compressionType" -> "block", "compression" -> "none") === "STOPLOG_INVALID_OPTIONS"
    )
    assert(
      condition("a INT", "compressionType" -> "none", "compression" -> "lz4") === "STOPLOG_INVALID_OPTIONS"
    )
    assert(condition("a INT", "compression" -> "java.lang.String") === "STOPLOG_CODEC_UNAVAILABLE")
  }

  test("bufferedBytes counts waiting rows and stays below a block") {
    val options = Map("compression" -> "deflate", "io.seqfile.compress.blocksize" -> "4000")
    val format  = SequenceFormat(plain, options, spark)
    val end     = new GrowingPart.End(Array.empty)
    val writer  = format.writer(end, "part-0")
    val waiting = numbered(0, 2000).map { row =>
      writer.write(row)
      writer.bufferedBytes
    }
    assert(waiting.max > 3000 && waiting.max < 4100)
    writer.sync()
    assert(writer.bufferedBytes === 0)
    writer.close()
  }
}
