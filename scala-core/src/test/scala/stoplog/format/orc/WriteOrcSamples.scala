// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.nio.file.{Files, Path}
import java.sql.Timestamp

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.RandomTables

/** Writes parts of three blocks for other readers to check, one for each codec: `<directory>/<codec>.orc`.
  *
  * Row `i` of 3,000 is `(i, "name i", i / 2, i seconds after the epoch in UTC, [i, i + 1], i hundredths)`.
  */
object WriteOrcSamples {

  def main(arguments: Array[String]): Unit = {
    val directory = Files.createDirectories(Path.of(arguments(0)))
    for (codec <- Seq("none", "snappy", "zlib", "zstd", "lz4")) {
      val format = OrcParts.format(schema, "compression" -> codec, "metadata.origin" -> "stoplog")
      Files.write(directory.resolve(s"$codec.orc"), OrcParts.file(format, schema, blocks))
    }
  }

  private val schema =
    StructType.fromDDL(
      "id BIGINT, name STRING, half DOUBLE, at TIMESTAMP, some ARRAY<BIGINT>, money DECIMAL(9,2)"
    )

  private def blocks =
    (0 until 3000).grouped(1000).toSeq.map(ids => RandomTables.internal(schema, ids.map(row)))

  private def row(i: Int): Row =
    Row(
      i.toLong,
      s"name $i",
      i / 2.0,
      new Timestamp(i * 1000L),
      Seq(i.toLong, i + 1L),
      java.math.BigDecimal.valueOf(i.toLong, 2)
    )
}
