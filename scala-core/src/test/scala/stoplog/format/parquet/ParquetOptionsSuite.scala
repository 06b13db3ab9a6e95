// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.hadoop.metadata.CompressionCodecName
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.bulk.RandomTables
import stoplog.format.parquet.ParquetFiles.{footer, reading, saved}

/** The options of Spark's writer, through to the file. */
class ParquetOptionsSuite extends AnyFunSuite {

  private val schema = StructType.fromDDL("id BIGINT, name STRING, s STRUCT<x: INT>")

  private val blocks: Seq[Seq[InternalRow]] =
    Seq
      .tabulate(3, 1000)((k, i) => Row(k * 1000L + i, s"name $i", Row(i % 10)))
      .map(RandomTables.internal(schema, _))

  private def file(options: (String, String)*): Array[Byte] =
    Blocks.file(Blocks.format(schema, options.toMap), schema, blocks)

  for (
    (name, suffix) <- Seq(
      "snappy"       -> ".snappy",
      "zstd"         -> ".zstd",
      "gzip"         -> ".gz",
      "lz4_raw"      -> ".lz4raw",
      "none"         -> "",
      "uncompressed" -> ""
    )
  )
    test(s"compression $name sets suffix and codec") {
      assert(Blocks.format(schema, Map("compression" -> name)).suffix === s"$suffix.parquet")
      val codecs = columns(file("compression" -> name)).map(_.getCodec).distinct
      assert(codecs === Seq(CompressionCodecName.fromConf(if (name == "none") "uncompressed" else name)))
    }

  test("compression options have Spark's order of precedence") {
    val session = Blocks.session("spark.sql.parquet.compression.codec" -> "gzip")
    val hadoop  = Map("parquet.compression" -> "zstd")
    assert(Blocks.format(schema, session = session).suffix === ".gz.parquet")
    assert(Blocks.format(schema, hadoop, session).suffix === ".zstd.parquet")
    assert(Blocks.format(schema, hadoop + ("Compression" -> "none"), session).suffix === ".parquet")
  }

  test("the driver rejects an unknown codec and a codec without its library") {
    assert(refusal(Map("compression" -> "brotli")).contains("Brotli"))
    assert(refusal(Map("compression" -> "squash")).contains("squash"))
  }

  test("every row group has Bloom filters for the configured columns") {
    val options =
      Seq("parquet.bloom.filter.enabled#name" -> "true", "parquet.bloom.filter.expected.ndv#name" -> "1000")
    reading(saved(file(options: _*))) { reader =>
      for (block <- reader.getFooter.getBlocks.asScala) {
        val filters = block.getColumns.asScala
          .map(column => column.getPath.toDotString -> reader.readBloomFilter(column))
          .toMap
        assert(filters.collect { case (name, found) if found != null => name } === Seq("name"))
        val filter = filters("name")
        assert(filter.findHash(filter.hash(org.apache.parquet.io.api.Binary.fromString("name 999"))))
        assert(
          (1000 to 1999).count(i =>
            filter.findHash(filter.hash(org.apache.parquet.io.api.Binary.fromString(s"name $i")))
          ) < 100
        )
      }
    }
  }

  test("every row group has column and offset indexes with limited pages") {
    reading(saved(file("parquet.page.row.count.limit" -> "100", "parquet.page.size.row.check.min" -> "10"))) {
      reader =>
        for (column <- reader.getFooter.getBlocks.asScala.flatMap(_.getColumns.asScala)) {
          assert(reader.readOffsetIndex(column).getPageCount === 10)
          assert(reader.readColumnIndex(column).getMinValues.size === 10)
        }
    }
  }

  test("options set dictionaries, writer version and statistics") {
    val plain = columns(file("parquet.enable.dictionary" -> "false"))
    assert(plain.forall(!_.hasDictionaryPage))
    val some = columns(file("parquet.enable.dictionary#name" -> "false")).groupBy(_.getPath.toDotString)
    assert(some("name").forall(!_.hasDictionaryPage) && some("s.x").forall(_.hasDictionaryPage))
    assert(columns(file("parquet.writer.version" -> "v2")).forall(_.getEncodingStats.usesV2Pages))
    val without =
      columns(file("parquet.column.statistics.enabled#id" -> "false")).groupBy(_.getPath.toDotString)
    assert(without("id").forall(_.getStatistics.isEmpty) && without("name").forall(!_.getStatistics.isEmpty))
  }

  test("the settings of a column are kept although its name looks like a secret") {
    val tokens = StructType.fromDDL("token STRING, name STRING")
    val format = Blocks.format(tokens, Map("parquet.column.statistics.enabled#token" -> "false"))
    val rows   = RandomTables.internal(tokens, Seq(Row("t0k3n", "ann")))
    val found  = columns(Blocks.file(format, tokens, Seq(rows))).groupBy(_.getPath.toDotString)
    assert(found("token").forall(_.getStatistics.isEmpty) && found("name").forall(!_.getStatistics.isEmpty))
  }

  test("key-value metadata is stored alongside Spark's metadata") {
    val metadata =
      footer(file("metadata.Origin" -> "gate 7", "metadata.owner" -> "")).getFileMetaData.getKeyValueMetaData
    assert(metadata.get("Origin") === "gate 7")
    assert(metadata.get("owner") === "")
    assert(metadata.get("org.apache.spark.version") !== null)
    assert(refusal(Map("metadata.org.apache.spark.version" -> "1")).contains("org.apache.spark.version"))
  }

  test("field ids are written if the session enables them") {
    val withId = StructType(
      Seq(
        StructField("id", LongType, metadata = new MetadataBuilder().putLong("parquet.field.id", 42).build())
      )
    )
    val session = Blocks.session("spark.sql.parquet.fieldId.write.enabled" -> "true")
    val bytes   = Blocks.file(
      Blocks.format(withId, session = session),
      withId,
      Seq(RandomTables.internal(withId, Seq(Row(1L))))
    )
    assert(footer(bytes).getFileMetaData.getSchema.getFields.get(0).getId.intValue === 42)
  }

  test("the driver rejects unsupported column types by column name") {
    for (
      of <- Seq(
        CalendarIntervalType,
        ArrayType(CalendarIntervalType),
        new StructType().add("i", CalendarIntervalType)
      )
    ) {
      val error = intercept[StoplogArgumentException](
        Blocks.format(new StructType().add("id", LongType).add("bad", of))
      )
      assert(error.getCondition === "STOPLOG_UNSUPPORTED_COLUMN")
      assert(error.getMessageParameters.get("column") === "bad")
    }
  }

  test("rejects a schema without columns and settings that parquet-hadoop rejects") {
    intercept[StoplogArgumentException](Blocks.format(new StructType()))
    assert(refusal(Map("parquet.page.size" -> "many")).contains("many"))
    assert(refusal(Map("parquet.writer.version" -> "v9")).contains("v9"))
    assert(
      refusal(Map("parquet.page.value.count.threshold" -> "7")).contains("parquet.page.value.count.threshold")
    )
  }

  test("rejects a description without a Parquet format") {
    for (
      text <- Seq("", "{}", "[", """{"format":"orc","version":1}""", """{"format":"parquet","version":2}""")
    )
      intercept[IllegalArgumentException](ParquetBulk.of(text))
  }

  test("rejects columns other than the format's schema") {
    intercept[IllegalArgumentException](Blocks.format(schema).open(StructType.fromDDL("id INT")))
  }

  private def columns(bytes: Array[Byte]) = footer(bytes).getBlocks.asScala.flatMap(_.getColumns.asScala)

  private def refusal(options: Map[String, String]): String =
    intercept[IllegalArgumentException with SparkThrowable](Blocks.format(schema, options)).getMessage
}
