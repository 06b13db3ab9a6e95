// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

class JdbcOptionsPageSuite extends AnyFunSuite {

  test(s"docs/${JdbcOptionsPage.name} is current: otherwise run make docs") {
    val page = Repository.root.resolve("docs").resolve(JdbcOptionsPage.name)
    assert(Repository.read(page) === JdbcOptionsPage.text)
  }

  test("every option has a row, and every cell is one cell") {
    for (o <- JdbcOptionRegistry.all) assert(JdbcOptionsPage.text.contains(s"\n| `${o.key}` |"), o.key)
    for (row <- JdbcOptionsPage.text.linesIterator.filter(_.startsWith("|")))
      assert(row.replace("\\|", "").count(_ == '|') === 7, row)
  }
}
