// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.nio.file.{Files, Path}

import scala.util.Using

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.Row

import stoplog.storage.hadoop.HadoopDefaults

/** Finished parts as readers see them. */
object ParquetFiles {

  def saved(bytes: Array[Byte]): Path =
    Files.write(Files.createTempDirectory("stoplog-parquet").resolve("part-0.parquet"), bytes)

  def footer(bytes: Array[Byte]): ParquetMetadata = reading(saved(bytes))(_.getFooter)

  def reading[A](file: Path)(use: ParquetFileReader => A): A = {
    val input = HadoopInputFile.fromPath(new HadoopPath(file.toUri), HadoopDefaults.configuration())
    Using.resource(ParquetFileReader.open(input))(use)
  }

  /** Rows that are equal when what is in them is: arrays of bytes and decimals are not, of themselves. */
  def comparable(rows: Seq[Row]): Seq[Any] = rows.map(values)

  private def values(value: Any): Any = value match {
    case row: Row                     => row.toSeq.map(values)
    case bytes: Array[Byte]           => bytes.toSeq
    case several: collection.Seq[_]   => several.map(values).toSeq
    case map: collection.Map[_, _]    => map.map { case (key, of) => values(key) -> values(of) }.toMap
    case number: java.math.BigDecimal => number.stripTrailingZeros
    case other                        => other
  }
}
