// SPDX-License-Identifier: Apache-2.0
package stoplog.util

import org.scalatest.funsuite.AnyFunSuite

class ColumnNamesSuite extends AnyFunSuite {
  test("a column is found by its exact name, or by a unique name ignoring case") {
    val names = Seq("aB", "Ab", "c")
    assert(ColumnNames.find(names, "Ab") === Right(1))
    assert(ColumnNames.find(names, "C") === Right(2))
    assert(ColumnNames.find(names, "ab").left.exists(_.contains("several")))
    assert(ColumnNames.find(names, "d").left.exists(_.contains("no column 'd' among aB, Ab, c")))
    assert((ColumnNames.index(names, "C"), ColumnNames.index(names, "ab")) === ((Some(2), None)))
  }
}
