// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.format.orc.OrcBulk
import stoplog.format.parquet.ParquetBulk

/** What open parts of release 0.1.0 say of their formats: the next release goes on with them. Never edited. */
class GoldenFormatsSuite extends AnyFunSuite {
  import GoldenFormatsSuite._

  for ((name, describedAgain) <- Formats)
    test(s"the description of a $name part is unchanged after a restart") {
      val golden = Repository.read(file(name))
      assert(describedAgain(golden) === golden)
    }
}

object GoldenFormatsSuite {
  private val Formats: Map[String, String => String] = Map(
    "orc"     -> (OrcBulk.of(_).describe),
    "parquet" -> (ParquetBulk.of(_).describe)
  )

  private def file(name: String): Path =
    Repository.root.resolve(s"scala-core/src/test/resources/golden/format-v1-$name.json")

  /** Writes the files as this version does, for the first time. */
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    val rows  = StructType.fromDDL(
      "at TIMESTAMP NOT NULL, `köln 東京` STRING, n DECIMAL(20, 3), a ARRAY<STRUCT<x: INT, y: MAP<STRING, DATE>>>"
    )
    val conf   = spark.sessionState.conf
    val hadoop = spark.sessionState.newHadoopConf()
    hadoop.clear()
    val options = Map("compression" -> "gzip")
    write("parquet", ParquetBulk(rows, options, conf, hadoop).describe)
    write("orc", OrcBulk(rows, Map("compression" -> "zlib"), conf, hadoop).describe)
    spark.stop()
  }

  private def write(name: String, described: String): Unit = {
    Files.write(file(name), described.getBytes(UTF_8))
    ()
  }
}
