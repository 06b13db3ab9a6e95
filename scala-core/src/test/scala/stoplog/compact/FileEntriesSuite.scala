// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SparkSessionForTests
import stoplog.format.avro.AvroCompactor
import stoplog.format.orc.OrcCompactor
import stoplog.format.parquet.ParquetCompactor

/** Entries of files that describe their rows: files with other entries are not merged. */
class FileEntriesSuite extends AnyFunSuite with SparkSessionForTests {

  private def hadoop: Configuration = new Configuration(spark.sparkContext.hadoopConfiguration)

  private def newFile() =
    new CompactorsSuite.FileOutput(Files.createTempDirectory("stoplog-merged").resolve("merged"))

  private def inputs(directory: Path, suffix: String): Seq[CompactionInput] =
    files(directory, suffix).map { file =>
      CompactionInput(new HadoopPath(file.toUri), Files.size(file), hadoop)
    }

  private def files(directory: Path, suffix: String): Seq[Path] =
    Using.resource(Files.list(directory))(_.iterator.asScala.filter(_.toString.endsWith(suffix)).toSeq.sorted)

  /** Returns a file with one row and one entry. */
  private def written(format: String, key: String, value: String): Path = {
    val directory = Files.createTempDirectory("stoplog-entries")
    spark
      .sql("SELECT 1 AS id")
      .write
      .format("stoplog")
      .option("format", format)
      .option("bucketAssigner", "basePath")
      .option(s"metadata.$key", value)
      .mode("append")
      .save(directory.toString)
    files(directory, s".$format").head
  }

  for (
    (format, suffix, key) <- Seq(
      ("parquet", ".parquet", "geo"),
      ("orc", ".orc", "geo"),
      ("avro", ".avro", "geo")
    )
  )
    test(s"$format files whose metadata differs stay apart, and equal metadata is kept") {
      def file(value: String): Path    = written(format, key, value)
      def together(files: Path*): Path = {
        val directory = Files.createTempDirectory("stoplog-entries")
        files.foreach(file => Files.copy(file, directory.resolve(file.getFileName)))
        directory
      }
      val compactor = format match {
        case "parquet" => ParquetCompactor(hadoop)
        case "orc"     => OrcCompactor(hadoop)
        case _         => new AvroCompactor(64000)
      }
      val (one, same, other) = (file("EPSG:4326"), file("EPSG:4326"), file("EPSG:3857"))
      compactor.compact(inputs(together(one, same), suffix), newFile())
      val error = intercept[IllegalArgumentException](
        compactor.compact(inputs(together(one, other), suffix), newFile())
      )
      assert(error.getMessage.contains("differ"))
      val likenesses = inputs(together(one, same, other), suffix).map(compactor.likeness)
      assert(likenesses.distinct.size === 2)
    }

  test("pandas' ranges of row numbers do not keep Parquet files apart") {
    def likeness(start: Int, version: String, unit: String) = {
      val pandas =
        s"""{"index_columns": [{"kind": "range", "start": 0, "stop": $start, "step": 1}], "columns": """ +
          s"""[{"name": "id", "metadata": {"unit": "$unit"}}], "creator": {"library": "pyarrow"}, "pandas_version": "$version"}"""
      val file = written("parquet", "pandas", pandas)
      ParquetCompactor(hadoop).likeness(inputs(file.getParent, ".parquet").head)
    }
    assert(likeness(5, "2.0", "m") === likeness(7, "2.1", "m"))
    assert(likeness(5, "2.0", "m") !== likeness(5, "2.0", "km"))
  }
}
