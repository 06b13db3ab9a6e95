// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.storage.SinkDirectory

/** Which package may know which, and how long a file may be. */
class LayersSuite extends AnyFunSuite {

  private val main = Repository.root.resolve("scala-core/src/main/scala/stoplog")

  private val connectors =
    Repository.connectors.map(_.resolve("src/main/scala"))

  private val protocol = Seq("log", "part", "rolling", "commit", "sink", "source", "thread", "engine", "util")

  private val engines = Seq("org.apache.spark", "org.apache.hadoop")

  private val outer = Seq("spark", "format", "bucket", "options").map("stoplog." + _)

  for (layer <- protocol)
    test(s"$layer knows neither Spark nor Hadoop, nor what is built on it") {
      assertFree(layer, engines ++ outer)
    }

  test("storage does not know Spark") {
    assertFree("storage", Seq("org.apache.spark", "stoplog.spark"))
  }

  test("place and admin do without Spark's session, and what is built on it") {
    for (layer <- Seq("place", "admin")) assertFree(layer, Seq("org.apache.spark", "stoplog.spark"))
  }

  test("the stores of local disks do without Hadoop") {
    assertFree("storage/local", Seq("org.apache.hadoop", "stoplog.storage.hadoop", "stoplog.storage.hdfs"))
  }

  test("only the outermost layer knows stoplog.spark") {
    for (
      layer <- Seq(
        "format", "bucket", "options", "error", "filesink", "filesource", "twophase", "merge"
      )
    )
      assertFree(layer, Seq("stoplog.spark"))
  }

  test("a sink that commits in two phases does without an engine") {
    assertFree("twophase", Seq("org.apache.spark"))
  }

  test("whatever goes into the log goes through Log, which hides secrets") {
    val direct = (main +: connectors).flatMap(sources).filter(Repository.read(_).contains("org.slf4j"))
    assert(direct.map(_.getFileName.toString) === Seq("Log.scala"))
  }

  test("paths below _stoplog are made by SinkDirectory alone") {
    val explainToUsers = Set("PartOptions.scala", "Completeness.scala") // in what an option does
    val literal        = s""""[^"]*${SinkDirectory.Root}[^"]*"""".r
    val found          = (main +: connectors)
      .flatMap(sources)
      .filter(file => code(Repository.read(file)).exists(literal.findFirstIn(_).isDefined))
      .map(_.getFileName.toString)
    assert(found.toSet === explainToUsers + "SinkDirectory.scala")
  }

  test("no file is longer than 400 lines") {
    val long = Seq("scala-core/src", "laws/src")
      .flatMap(directory => sources(Repository.root.resolve(directory)))
      .map(file => file -> Repository.read(file).linesIterator.size)
      .collect { case (file, lines) if lines > 400 => s"$file: $lines" }
    assert(long.isEmpty)
  }

  private def assertFree(layer: String, forbidden: Seq[String]): Unit = {
    val directory = main.resolve(layer)
    val found     = for {
      file <- if (Files.isDirectory(directory)) sources(directory) else Nil
      line <- code(Repository.read(file))
      name <- forbidden
      if s"\\b${name.replace(".", "\\.")}\\b".r.findFirstIn(line).isDefined
    } yield s"${main.relativize(file)}: ${line.trim}"
    assert(found.isEmpty)
  }

  // Comments may speak of any layer; code may not name it, by an import or otherwise.
  private def code(text: String): Seq[String] =
    text.replaceAll("(?s)/\\*.*?\\*/", "").linesIterator.map(_.replaceAll("//.*", "")).toSeq

  private def sources(directory: Path): Seq[Path] =
    Using.resource(Files.walk(directory))(
      _.iterator.asScala.filter(_.toString.endsWith(".scala")).toSeq.sorted
    )
}
