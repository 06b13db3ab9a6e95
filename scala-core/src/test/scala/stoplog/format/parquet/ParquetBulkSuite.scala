// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.nio.file.Files

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests
import stoplog.format.bulk.{PartInBlocks, RandomTables}
import stoplog.format.parquet.ParquetFiles.{comparable, footer, saved}

/** Parts of several row groups, each by a writer of its own: what Spark reads of them, and that they are its files. */
class ParquetBulkSuite extends AnyFunSuite with SparkSessionForTests {

  for (seed <- 1 to 12)
    test(s"rows of all types survive in parts of 1 to 6 blocks (seed $seed)") {
      val source = new ParquetTables(seed.toLong)
      val schema = source.schema()
      val blocks = Seq.fill(1 + new Random(seed.toLong).nextInt(6))(Seq.fill(20)(source.row(schema)))
      val bytes  = Blocks.file(Blocks.format(schema), schema, blocks.map(RandomTables.internal(schema, _)))
      assert(footer(bytes).getBlocks.size === blocks.size)
      assert(comparable(read(bytes, schema)) === comparable(blocks.flatten))
    }

  for {
    mode <- Seq("LEGACY", "CORRECTED")
    kind <- Seq("INT96", "TIMESTAMP_MILLIS")
  }
    test(s"dates before 1582 and timestamps as $kind survive rebase mode $mode") {
      val schema = StructType.fromDDL("d DATE, t TIMESTAMP")
      val row = Row(java.time.LocalDate.of(1001, 1, 1), java.time.Instant.parse("1001-01-01T01:02:03.004Z"))
      val session = Blocks.session(
        "spark.sql.parquet.datetimeRebaseModeInWrite" -> mode,
        "spark.sql.parquet.int96RebaseModeInWrite"    -> mode,
        "spark.sql.parquet.outputTimestampType"       -> kind,
        "spark.sql.session.timeZone"                  -> "America/Los_Angeles"
      )
      val bytes = Blocks.file(
        Blocks.format(schema, session = session),
        schema,
        Seq.fill(2)(RandomTables.internal(schema, Seq(row)))
      )
      assert(comparable(read(bytes, schema)) === comparable(Seq(row, row)))
      val metadata = footer(bytes).getFileMetaData.getKeyValueMetaData.asScala
      assert(metadata.contains("org.apache.spark.legacyDateTime") === (mode == "LEGACY"))
      assert(metadata.contains("org.apache.spark.legacyINT96") === (mode == "LEGACY"))
      assert(
        metadata.get("org.apache.spark.timeZone") === Option.when(mode == "LEGACY")("America/Los_Angeles")
      )
    }

  test("an option of the write overrides the session's setting, like Spark 4.2") {
    val schema                            = StructType.fromDDL("t TIMESTAMP, d DECIMAL(5, 2)")
    val session                           = Blocks.session("spark.sql.parquet.outputTimestampType" -> "INT96")
    def types(options: (String, String)*) = {
      val file = Blocks.file(Blocks.format(schema, options.toMap, session), schema, Seq(Nil))
      footer(file).getFileMetaData.getSchema.getColumns.asScala
        .map(_.getPrimitiveType.getPrimitiveTypeName.name)
    }
    assert(types() === Seq("INT96", "INT32"))
    val both = Seq(
      "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
      "spark.sql.parquet.writeLegacyFormat"   -> "true"
    )
    assert(types(both: _*) === Seq("INT64", "FIXED_LEN_BYTE_ARRAY"))
    assert(session.getConfString("spark.sql.parquet.outputTimestampType") === "INT96", "the session's stays")
    val error = intercept[StoplogArgumentException](types("spark.sql.parquet.outputTimestampType" -> "nanos"))
    assert(error.getMessage.contains("spark.sql.parquet.outputTimestampType"))
  }

  for (legacy <- Seq("true", "false"))
    test(s"schema and metadata equal Spark's file (writeLegacyFormat = $legacy)") {
      val source  = new ParquetTables(99)
      val schema  = StructType(source.schema().filterNot(field => hasVariant(field.dataType)))
      val rows    = Seq.fill(10)(source.row(schema))
      val session = Blocks.session("spark.sql.parquet.writeLegacyFormat" -> legacy)
      val ours    = footer(
        Blocks.file(
          Blocks.format(schema, session = session),
          schema,
          Seq.fill(2)(RandomTables.internal(schema, rows))
        )
      ).getFileMetaData
      val theirs =
        footer(sparks(schema, rows, Map("spark.sql.parquet.writeLegacyFormat" -> legacy))).getFileMetaData
      assert(ours.getSchema === theirs.getSchema)
      assert(ours.getKeyValueMetaData === theirs.getKeyValueMetaData)
      assert(ours.getCreatedBy === theirs.getCreatedBy)
    }

  test("a part truncated to the end of a block resumes from there") {
    val schema = StructType.fromDDL("id BIGINT, name STRING")
    val rows   = (1 to 40).map(i => Row(i.toLong, s"name $i"))
    val blocks = rows.grouped(10).map(RandomTables.internal(schema, _)).toSeq
    val format = Blocks.format(schema)
    val parts  =
      blocks.scanLeft(PartInBlocks())(_.block(Blocks.rebuilt(format, schema), _))
    for (kept <- 0 to blocks.size) {
      val cut  = PartInBlocks(parts.last.bytes.take(parts(kept).bytes.length), parts(kept).directory)
      val part = cut.block(Blocks.rebuilt(format, schema), blocks.head)
      val read = this.read(part.ended(Blocks.rebuilt(format, schema)), schema)
      assert(comparable(read) === comparable(rows.take(kept * 10) ++ rows.take(10)))
    }
  }

  test("rejects a row group with columns other than earlier row groups") {
    val ids  = StructType.fromDDL("id BIGINT")
    val part = PartInBlocks().block(
      Blocks.rebuilt(Blocks.format(ids), ids),
      RandomTables.internal(ids, Seq(Row(1L)))
    )
    val keys = StructType.fromDDL("key BIGINT")
    val next = Blocks.rebuilt(Blocks.format(keys), keys)
    intercept[IllegalStateException](part.block(next, RandomTables.internal(keys, Seq(Row(1L)))))
  }

  test("variants are shredded by the session's settings") {
    val schema  = StructType.fromDDL("v VARIANT")
    val rows    = Seq.tabulate(5)(i => Row(RandomTables.variant(s"""{"a":$i}""")))
    val session = Blocks.session(
      "spark.sql.variant.writeShredding.enabled"      -> "true",
      "spark.sql.variant.forceShreddingSchemaForTest" -> "a BIGINT"
    )
    val format = Blocks.format(schema, session = session)
    val bytes  = Blocks.file(format, schema, Seq.fill(2)(RandomTables.internal(schema, rows)))
    assert(
      footer(bytes).getFileMetaData.getSchema.containsPath(Array("v", "typed_value", "a", "typed_value"))
    )
    assert(read(bytes, schema).map(_.get(0).toString) === (rows ++ rows).map(_.get(0).toString))
  }

  test("a part without rows is a valid empty file") {
    val schema = StructType.fromDDL("id BIGINT, name STRING")
    assert(read(Blocks.file(Blocks.format(schema), schema, Nil), schema).isEmpty)
    assert(read(Blocks.file(Blocks.format(schema), schema, Seq(Nil, Nil)), schema).isEmpty)
  }

  private def read(bytes: Array[Byte], schema: StructType): Seq[Row] = {
    spark.conf.set("spark.sql.datetime.java8API.enabled", "true")
    spark.read.schema(schema).parquet(saved(bytes).toString).collect().toSeq
  }

  private def sparks(schema: StructType, rows: Seq[Row], settings: Map[String, String]): Array[Byte] = {
    val directory = Files.createTempDirectory("stoplog-parquet").resolve("spark")
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try spark.createDataFrame(rows.asJava, schema).coalesce(1).write.parquet(directory.toString)
    finally settings.keys.foreach(spark.conf.unset)
    val found = Files.list(directory).iterator.asScala.find(_.getFileName.toString.startsWith("part-"))
    Files.readAllBytes(found.get)
  }

  private def hasVariant(of: DataType): Boolean = of.catalogString.contains("variant")
}
