// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import stoplog.format.bulk.GrowingPart

/** Writes `<codec>.avro` for each codec into a directory, for a reader of another make: 5 epochs of 1,000 rows with
  * the ids from 0 to 4,999, each by a format that came as text.
  *
  * {{{
  * sbt "core/Test/runMain stoplog.format.avro.AvroSamples <directory>"
  * }}}
  */
object AvroSamples {

  val Codecs: Seq[String] = Seq("uncompressed", "deflate", "snappy", "bzip2", "xz", "zstandard")

  def main(args: Array[String]): Unit = {
    val directory = Files.createDirectories(Path.of(args.head))
    val spark     = SparkSession
      .builder()
      .master("local[1]")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.session.timeZone", "UTC")
      .getOrCreate()
    try for (codec <- Codecs) Files.write(directory.resolve(s"$codec.avro"), sample(spark, codec))
    finally spark.stop()
  }

  private def sample(spark: SparkSession, codec: String): Array[Byte] = {
    val rows = spark
      .range(5000)
      .selectExpr(
        "id", "concat('row ä ', id) AS text", "id / 4 AS ratio", "timestamp_seconds(id) AS at",
        "date_add(DATE '1970-01-01', cast(id as int)) AS day", "cast(id / 100 AS DECIMAL(9, 2)) AS amount",
        "if(id % 3 = 0, NULL, array(id, id + 1)) AS pair", "map('id', id) AS names"
      )
    val schema = rows.schema
    val format = AvroFormat(schema, Map("compression" -> codec, "metadata.codec" -> codec), spark)
    val part   = new GrowingPart
    rows.queryExecution.executedPlan.executeCollect().grouped(1000).foreach { epoch =>
      part.epoch(GrowingPart.sent(format), schema, epoch.toIndexedSeq)
    }
    part.bytes
  }
}
