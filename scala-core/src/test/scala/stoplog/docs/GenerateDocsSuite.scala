// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.scalatest.funsuite.AnyFunSuite

import stoplog.options.SinkOptionRegistry

class GenerateDocsSuite extends AnyFunSuite {

  for ((name, text) <- GenerateDocs.pages -- Seq(OptionsPage.name, SourceOptionsPage.name))
    test(s"docs/$name is current: otherwise run make docs") {
      assert(Repository.read(Repository.root.resolve("docs").resolve(name)) === text)
    }

  test("the definitions that Python shares are current: otherwise run make docs") {
    assert(Repository.read(SharedDefinitions.path("core")) === SharedDefinitions.core)
  }

  test("the tables of compatibility are whole: rows have as many cells as their heads") {
    val tables = CompatibilityPage.text.split("\n\n").filter(_.startsWith("| "))
    assert(tables.length === 7)
    for {
      table <- tables
      rows = table.linesIterator.toVector
    } {
      assert(rows.map(_.count(_ == '|')).distinct.size === 1, rows.head)
      assert(rows.size > 3)
    }
  }

  test("the list for programs has every option, with its words and its default") {
    val sink = new ObjectMapper().readTree(GenerateOptions.json("sink" -> SinkOptionRegistry.all)).get("sink")
    assert(sink.asScala.map(_.get("key").asText).toSeq === SinkOptionRegistry.all.map(_.key))
    val lost = sink.asScala.find(_.get("key").asText == "onLostPart").get
    assert(lost.get("values").asScala.map(_.asText).toSeq === Seq("fail", "skip"))
    assert(lost.get("default").asText === "fail")
    assert(sink.get(0).get("default").isNull)
  }

  test("each Spark line that is tested is one that is supported") {
    assert(CompatibilityPage.lines.contains(CompatibilityPage.version("spark")))
    for (line <- CompatibilityPage.lines) assert(CompatibilityPage.text.contains(s"| $line"))
  }
}

class OptionsPageSuite       extends OptionsReferenceRules(OptionsPage)
class SourceOptionsPageSuite extends OptionsReferenceRules(SourceOptionsPage)
