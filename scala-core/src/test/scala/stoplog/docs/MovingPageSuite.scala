// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.{FileSink, FileSource}
import stoplog.docs.MovingPageSuite.Line
import stoplog.error.StoplogArgumentException

/** docs/getting-started/moving.md has a line for every option of Spark's files, and the line is right. */
class MovingPageSuite extends AnyFunSuite {

  private lazy val page = Repository.read(Repository.root.resolve("docs/getting-started/moving.md"))

  private val sql = "org.apache.spark.sql"

  /** By the page's heading: Spark's own objects that list options, and names that are in none of them. */
  private val sparks: Map[String, (Seq[String], Seq[String])] = Map(
    "Which files" -> (
      Seq(s"$sql.execution.datasources.FileIndexOptions"),
      // FileSourceOptions and FileStreamOptions have no list.
      Seq("ignoreCorruptFiles", "ignoreMissingFiles", "maxFilesPerTrigger", "maxBytesPerTrigger",
        "cleanSource") ++
        Seq("sourceArchiveDir", "latestFirst", "maxFileAge", "fileNameOnly", "maxCachedFiles") :+
        "discardCachedInputRatio"
    ),
    "Text"    -> (Seq(s"$sql.execution.datasources.text.TextOptions"), Nil),
    "JSON"    -> (Seq(s"$sql.catalyst.json.JSONOptions"), Seq("columnNameOfCorruptRecord")),
    "CSV"     -> (Seq(s"$sql.catalyst.csv.CSVOptions"), Seq("columnNameOfCorruptRecord")),
    "Parquet" -> (Seq(s"$sql.execution.datasources.parquet.ParquetOptions"), Nil),
    "ORC"     -> (Seq(s"$sql.execution.datasources.orc.OrcOptions"), Nil),
    "Avro"    -> (Seq(s"$sql.avro.AvroOptions"), Nil)
  )

  for ((heading, (objects, more)) <- sparks) {
    test(s"$heading: every option listed by Spark's classes has a row") {
      val known  = rows(heading).flatMap(_.names.map(_.toLowerCase)).toSet
      val listed = objects.flatMap(options) ++ more
      assert(listed.nonEmpty)
      val missing = listed.filterNot(name => known(name.toLowerCase)).sorted
      assert(
        missing === Nil,
        s"docs/getting-started/moving.md says nothing of these options of Spark's under '$heading'"
      )
    }

    test(s"$heading: options marked as the same are accepted, and others are rejected by name") {
      val format = if (heading == "Which files") "text" else heading.toLowerCase
      for {
        row  <- rows(heading)
        name <- row.names
      } {
        assertAs(row.reading, s"reading $format: $name", isRefused(name, FileSource.fromOptions, format))
        assertAs(row.writing, s"writing $format: $name", isRefused(name, FileSink.fromOptions, format))
      }
    }
  }

  private def assertAs(cell: String, what: String, refused: Boolean): Unit =
    if (cell.startsWith("same")) assert(!refused, what)
    else if (cell.startsWith("not:")) assert(refused, what)

  private def rows(heading: String): Seq[Line] =
    page.linesIterator
      .dropWhile(_ != s"### $heading")
      .drop(1)
      .takeWhile(!_.startsWith("#"))
      .filter(_.startsWith("| `"))
      .map(_.split('|').map(_.trim))
      .map(cells => Line("`([^`]+)`".r.findAllMatchIn(cells(1)).map(_.group(1)).toSeq, cells(2), cells(3)))
      .toSeq

  private def options(objectName: String): Seq[String] = {
    val listing = Class.forName(s"$objectName$$").getField("MODULE$").get(null)
    listing.getClass.getMethod("getAllOptions").invoke(listing).asInstanceOf[collection.Set[String]].toSeq
  }

  // Whether the name is a mistake, whatever the value is.
  private def isRefused(
      name: String,
      parse: java.util.Map[String, String] => Any,
      format: String
  ): Boolean =
    try {
      parse(Map("path" -> "/moving", "format" -> format, name -> "1").asJava)
      false
    } catch {
      case e: StoplogArgumentException =>
        s"(?i)\\b${name.replace(".", "\\.")}( = '1')? (is not an option|is an option of|cannot be set|is detected from|has no effect on reads)".r
          .findFirstIn(e.getMessage)
          .isDefined
    }
}

private object MovingPageSuite {

  /** Options of Spark, and what the page says of them. */
  final case class Line(names: Seq[String], reading: String, writing: String)
}
