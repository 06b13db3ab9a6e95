// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

class GenerateDocsSuite extends AnyFunSuite {

  for ((name, text) <- GenerateDocs.pages -- Seq(OptionsPage.name, SourceOptionsPage.name))
    test(s"docs/$name is current: otherwise run make docs") {
      assert(Repository.read(Repository.root.resolve("docs").resolve(name)) === text)
    }

  test("the definitions shared with Python are current: otherwise run make docs") {
    assert(Repository.read(SharedDefinitions.path("core")) === SharedDefinitions.core)
  }

  test("each row of the compatibility tables has as many cells as its header") {
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

  test("each tested Spark line is supported") {
    assert(CompatibilityPage.lines.contains(CompatibilityPage.version("spark")))
    for (line <- CompatibilityPage.lines) assert(CompatibilityPage.text.contains(s"| $line"))
  }
}

class OptionsPageSuite       extends OptionsReferenceRules(OptionsPage)
class SourceOptionsPageSuite extends OptionsReferenceRules(SourceOptionsPage)
