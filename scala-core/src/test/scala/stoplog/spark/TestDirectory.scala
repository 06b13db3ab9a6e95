// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/** A directory of one test's own, read as any reader would: by its visible files. */
final class TestDirectory {
  private val root: Path = Files.createTempDirectory("stoplog-sink")

  val out: String        = root.resolve("out").toString
  val checkpoint: String = root.resolve("checkpoint").toString

  def files: Seq[Path] = visible(root.resolve("out"))

  /** Whatever there is, hidden or not, by its name under the sink's path. */
  def everything: Set[String] = Using.resource(Files.walk(Path.of(out))) { all =>
    all.iterator.asScala.filter(Files.isRegularFile(_)).map(Path.of(out).relativize(_).toString).toSet
  }

  def directories: Set[String] = files.map(_.getParent.getFileName.toString).toSet

  def lines: Seq[String] = files.flatMap(file => Files.readAllLines(file).asScala).sorted

  /** Why each part of the sink was closed, in alphabetical order, as its table `parts` says. */
  def reasons(spark: SparkSession): Seq[String] = spark.read
    .format("stoplog")
    .option("view", "parts")
    .load(out)
    .where("roll_reason IS NOT NULL")
    .collect()
    .map(_.getAs[String]("roll_reason"))
    .sorted
    .toSeq

  /** Copies what a stream has now by Spark's own files. Returns when that has ended. */
  def copy(rows: DataFrame, format: String = "text"): StreamingQuery = {
    val query = rows.writeStream
      .format(format)
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start(out)
    query.awaitTermination()
    query
  }

  /** Looks again until the files are as wanted, for two minutes: a background thread makes them so. */
  def until(wanted: Seq[Path] => Boolean): Unit = {
    val deadline = System.nanoTime() + 120L * 1000 * 1000 * 1000
    while (!wanted(files)) {
      assert(System.nanoTime() < deadline, s"still only $files")
      Thread.sleep(10)
    }
  }

  private def visible(directory: Path): Seq[Path] = {
    val names = Option(directory.toFile.list()).fold(Seq.empty[String])(_.toSeq)
    names.filterNot(name => name.startsWith("_") || name.startsWith(".")).map(directory.resolve).flatMap {
      path =>
        if (Files.isDirectory(path)) visible(path) else Seq(path)
    }
  }
}
