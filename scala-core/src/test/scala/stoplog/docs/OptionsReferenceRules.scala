// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

/** What holds of every page of options. */
abstract class OptionsReferenceRules(page: OptionsReference) extends AnyFunSuite {

  test(s"docs/${page.name} is current: otherwise run make docs") {
    assert(Repository.read(page.path) === page.text)
  }

  for (jar <- page.connector)
    test(s"the definitions shared by Python and $jar are current: otherwise run make docs") {
      assert(Repository.read(SharedDefinitions.path(jar)) === SharedDefinitions.connector(jar, page.options))
    }

  test("every option has a row, and every row has five cells") {
    for (o <- page.listed) assert(page.text.contains(s"\n| `${o.key}` |"), o.key)
    for (row <- page.text.linesIterator.filter(_.startsWith("|")))
      assert(row.replace("\\|", "").count(_ == '|') === 6, row)
  }
}
