// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

/** What sources cite of the protocol is on its page. */
class ProtocolPageSuite extends AnyFunSuite {
  private lazy val page     = Files.readString(Repository.root.resolve("docs/correctness/protocol.md"))
  private lazy val headings = page.linesIterator.filter(_.startsWith("### ")).map(_.drop(4)).toVector

  test("every invariant that a source or a page cites is a heading there") {
    val cited = citations("""\bI(\d)\b""".r)
    assert(cited.keySet.nonEmpty)
    for ((number, where) <- cited)
      assert(headings.exists(_.startsWith(s"I$number: ")), s"I$number in ${where.take(3)}")
  }

  test("every step that a source or a page cites is a heading there") {
    val cited =
      citations("""\b[Ss]teps? (\d+)(?:\.\d)?\b""".r) ++ citations("""\b[Ss]teps \d+ and (\d+)\b""".r)
    assert(cited.keySet.nonEmpty)
    for ((number, where) <- cited)
      assert(headings.exists(_.startsWith(s"Step $number: ")), s"step $number in ${where.take(3)}")
  }

  test("every field of a record is in its table") {
    val json   = Files.readString(sources.resolve("log/RecordJson.scala"))
    val fields = """write\w*(?:Field|FieldStart)\("(\w+)"""".r.findAllMatchIn(json).map(_.group(1)).toSet
    val words  = Set("bytes", "records", "openedAtMillis", "lastWrittenAtMillis", "file", "level", "note",
      "storageBytes")
    for (field <- (fields -- words).toSeq.sorted) assert(page.contains(field), field)
  }

  private def sources: Path = Repository.root.resolve("scala-core/src/main/scala/stoplog")

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
