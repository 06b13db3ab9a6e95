// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.nio.file.{Files, Path}

import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.RandomTables

/** Sample files for readers that are not Spark. In each, `id` counts from 0, and `half` is half of it.
  *
  * {{{
  * sbt "core/Test/runMain stoplog.format.parquet.ParquetSamples <directory>"
  * }}}
  */
object ParquetSamples {

  private val schema = StructType.fromDDL(
    """id BIGINT, half DECIMAL(12, 1), name STRING, raw BINARY, day DATE, at TIMESTAMP, local TIMESTAMP_NTZ,
      |list ARRAY<INT>, map MAP<STRING, DOUBLE>, s STRUCT<x: INT, y: ARRAY<STRING>>""".stripMargin
  )

  private val options: Map[String, Map[String, String]] =
    Seq("none", "snappy", "gzip", "zstd", "lz4_raw")
      .map(codec => codec -> Map("compression" -> codec))
      .toMap ++ Map(
      "bloom" -> Map(
        "parquet.bloom.filter.enabled#name"      -> "true",
        "parquet.bloom.filter.expected.ndv#name" -> "3000"
      ),
      "v2"       -> Map("parquet.writer.version" -> "v2"),
      "metadata" -> Map("metadata.origin" -> "gate 7")
    )

  def main(args: Array[String]): Unit = {
    val directory = Files.createDirectories(Path.of(args.head))
    for {
      (name, chosen) <- options
      blocks         <- Seq(0, 1, 3)
    } {
      val format = Blocks.format(schema, chosen)
      val rows = Seq.tabulate(blocks, 1000)((k, i) => row(k * 1000 + i)).map(RandomTables.internal(schema, _))
      Files.write(directory.resolve(s"$name-$blocks${format.suffix}"), Blocks.file(format, schema, rows))
    }
  }

  private def row(id: Int): org.apache.spark.sql.Row = org.apache.spark.sql.Row(
    id.toLong,
    java.math.BigDecimal.valueOf(id * 5L, 1),
    if (id % 7 == 0) null else s"name $id",
    Array[Byte](id.toByte, 0, -1),
    java.time.LocalDate.of(2026, 1, 1).plusDays(id.toLong),
    java.time.Instant.ofEpochSecond(id.toLong),
    java.time.LocalDateTime.of(2026, 1, 1, 0, 0).plusSeconds(id.toLong),
    Seq.tabulate(id % 4)(identity),
    Map("k" -> id / 2d),
    if (id % 5 == 0) null else org.apache.spark.sql.Row(id, Seq("a", null))
  )
}
