// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

/** Limits the number of options. A new option replaces another option, or joins the value of one. */
class OptionCountSuite extends AnyFunSuite {

  private val pages =
    Seq("options", "source-options", "kafka-options", "jdbc-options", "cassandra-options", "wal-options")

  test("the six pages together have at most 120 options") {
    val rows = pages.map(page => page -> rowsOf(page))
    assert(rows.forall(_._2 > 0), rows)
    assert(rows.map(_._2).sum <= 120, rows)
  }

  private def rowsOf(page: String): Int =
    Repository
      .read(Repository.root.resolve(s"docs/reference/$page.md"))
      .linesIterator
      .count(_.startsWith("| `"))
}
