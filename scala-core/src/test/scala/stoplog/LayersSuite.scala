// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.storage.SinkDirectory

/** Which package may know Spark, Hadoop and the logging library, and how long a file may be. [[PackagesSuite]] says which
  * package of stoplog may import which.
  */
class LayersSuite extends AnyFunSuite {
  import LayersSuite._

  private val main = Repository.root.resolve("scala-core/src/main/scala/stoplog")

  private val connectors =
    Repository.connectors.map(_.resolve("src/main/scala"))

  for (layer <- Seq("log", "part", "rolling", "commit", "sink", "source", "thread", "engine", "util"))
    test(s"$layer uses neither Spark nor Hadoop") {
      assertFree(layer, Seq(Spark, Hadoop))
    }

  for (layer <- Seq("storage", "stores", "checkpoint", "admin", "twophase"))
    test(s"$layer does not use Spark") {
      assertFree(layer, Seq(Spark))
    }

  test("the stores of local disks do not use Hadoop") {
    assertFree("storage/local", Seq(Hadoop))
  }

  test("only Log writes to the logger, and hides secrets") {
    val direct = (main +: connectors).flatMap(sources).filter(Repository.read(_).contains("org.slf4j"))
    assert(direct.map(_.getFileName.toString) === Seq("Log.scala"))
  }

  test("only SinkDirectory builds paths below _stoplog") {
    val explainToUsers = Set("PartOptions.scala", "Completeness.scala") // in what an option does
    val literal        = s""""[^"]*${SinkDirectory.Root}[^"]*"""".r
    val found          = (main +: connectors)
      .flatMap(sources)
      .filter(file => code(Repository.read(file)).exists(literal.findFirstIn(_).isDefined))
      .map(_.getFileName.toString)
    assert(found.toSet === explainToUsers + "SinkDirectory.scala")
  }

  test("no name or record contains a number in the digits of the locale") {
    val inLocale = """f"[^"]*%[0-9,+ -]*[dfeg][^"]*"|"[^"]*%[0-9,+ -]*[dfeg][^"]*"\.format\(""".r
    val found    = (main +: connectors)
      .flatMap(sources)
      .filter(file => code(Repository.read(file)).exists(inLocale.findFirstIn(_).isDefined))
      .map(_.getFileName.toString)
    assert(found === Seq("StepProgress.scala")) // a message
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

private object LayersSuite {
  private val Spark  = "org.apache.spark"
  private val Hadoop = "org.apache.hadoop"
}
