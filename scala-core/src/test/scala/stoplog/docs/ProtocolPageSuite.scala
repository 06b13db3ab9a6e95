// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.log.RecordFields
import stoplog.storage.SinkDirectory

/** What sources cite of the protocol is on its page. */
class ProtocolPageSuite extends AnyFunSuite {
  private lazy val page     = Files.readString(Repository.root.resolve("docs/correctness/protocol.md"))
  private lazy val headings = page.linesIterator.filter(_.startsWith("### ")).map(_.drop(4)).toVector

  test("every cited invariant is a heading of the page") {
    val cited = citations("""\bI(\d)\b""".r)
    assert(cited.keySet.nonEmpty)
    for ((number, where) <- cited)
      assert(headings.exists(_.startsWith(s"I$number: ")), s"I$number in ${where.take(3)}")
  }

  test("every cited step is a heading of the page") {
    val cited =
      citations("""\b[Ss]teps? (\d+)(?:\.\d)?\b""".r) ++ citations("""\b[Ss]teps \d+ and (\d+)\b""".r)
    assert(cited.keySet.nonEmpty)
    for ((number, where) <- cited)
      assert(headings.exists(_.startsWith(s"Step $number: ")), s"step $number in ${where.take(3)}")
  }

  test("the tables of a record list exactly its fields") {
    val described = for {
      row    <- rows(header = "| in | field | meaning |")
      within <- words(row(1))
      field  <- words(row(2))
    } yield within -> field
    assert((RecordFields.all -- described).toSeq.sorted === Nil, "not on the page")
    assert((described.toSet -- RecordFields.all).toSeq.sorted === Nil, "in no record")
  }

  test("the compared records have every field that the code writes") {
    val written = for {
      file  <- scalaFiles("scala-core/src/main/scala/stoplog/log")
      field <- """\bwrite\w*\("(\w+)"""".r.findAllMatchIn(Repository.read(file)).map(_.group(1))
    } yield field
    assert(written.distinct.sizeIs > 50)
    assert((written.toSet -- RecordFields.all.map(_._2)).toSeq.sorted === Nil)
  }

  test("every path of a sink's directory is in the table of paths") {
    val described = rows(header = "| path | its content, its writer, and the time of writing |")
      .flatMap(row => words(row(1)))
      .map(_.stripSuffix("/"))
    val sink  = SinkDirectory("<sinkId>")
    val paths = classOf[SinkDirectory].getDeclaredMethods.toVector
      .filter(method => method.getReturnType == classOf[String] && method.getParameterCount == 0)
      .map(method => method.invoke(sink).toString)
      .filter(_.startsWith(SinkDirectory.Root))
    assert(paths.sizeIs > 9)
    for (path <- paths :+ sink.aside("<time>"))
      assert(
        described.exists(named => named == path || named.startsWith(s"$path/") || isOfJobs(named, path)),
        path
      )
  }

  /** Jobs have a directory of their own, under the name of their log. */
  private def isOfJobs(named: String, path: String): Boolean =
    named == path.replace("<sinkId>", "batch-<job>")

  /** The cells of each row of the tables with this header; the first cell has the number 1. */
  private def rows(header: String): Vector[Vector[String]] = {
    val found = page.linesIterator.foldLeft((Vector.empty[Vector[String]], false)) {
      case ((rows, within), line) =>
        if (line == header) (rows, true)
        else if (within && line.startsWith("|")) (rows :+ line.split('|').toVector, true)
        else (rows, false)
    }
    found._1
  }

  /** What is set in code font. */
  private def words(cell: String): Vector[String] =
    "`([^`]+)`".r.findAllMatchIn(cell).map(_.group(1)).toVector

  private def exactlyOnce: Path = Repository.root.resolve("docs/files/exactly-once.md")

  /** What is cited, and where. */
  private def citations(of: scala.util.matching.Regex): Map[String, Vector[String]] = {
    val found = for {
      file  <- scalaFiles("scala-core/src/main") ++ scalaFiles("connectors") :+ exactlyOnce
      cited <- of.findAllMatchIn(comments(file)).map(_.group(1))
    } yield cited -> file.getFileName.toString
    found.groupMap(_._1)(_._2)
  }

  /** Sources cite in comments; in code such words are something else. */
  private def comments(file: Path): String = Files
    .readString(file)
    .linesIterator
    .filter(line => file.toString.endsWith(".md") || comment.matches(line))
    .mkString("\n")

  private val comment = """\s*(/\*\*|\*|//).*|.*// .*""".r

  private def scalaFiles(below: String): Vector[Path] =
    Using.resource(Files.walk(Repository.root.resolve(below))) { found =>
      found.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
    }
}
