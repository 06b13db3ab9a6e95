// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

import stoplog.options.{SinkOptionRegistry, SourceOptionRegistry}

class GenerateDocsSuite extends AnyFunSuite {

  for ((name, text) <- GenerateDocs.pages)
    test(s"docs/$name is current: otherwise run make docs") {
      assert(Repository.read(Repository.root.resolve("docs").resolve(name)) === text)
    }

  test("every option has a row") {
    for (o <- SinkOptionRegistry.all) assert(OptionsPage.text.contains(s"\n| `${o.key}` |"), o.key)
    for (o <- SourceOptionRegistry.all) assert(SourceOptionsPage.text.contains(s"\n| `${o.key}` |"), o.key)
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

  test("each Spark line that is tested is one that is supported") {
    assert(CompatibilityPage.lines.contains(CompatibilityPage.version("spark")))
    for (line <- CompatibilityPage.lines) assert(CompatibilityPage.text.contains(s"| $line"))
  }

  test("every cell is one cell") {
    val rows = (OptionsPage.text + SourceOptionsPage.text).linesIterator.filter(_.startsWith("|"))
    for (row <- rows) assert(row.replace("\\|", "").count(_ == '|') === 7, row)
  }
}
