// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class ColumnNamesSuite extends AnyFunSuite {

  test("commas separate column names, and surrounding spaces are ignored") {
    assert(ColumnNames.parse("year") === Right(Seq("year")))
    assert(ColumnNames.parse("year, month ,day") === Right(Seq("year", "month", "day")))
  }

  test("backticks enclose names with a comma or a backtick") {
    assert(ColumnNames.parse("`a,b`,c") === Right(Seq("a,b", "c")))
    assert(ColumnNames.parse("c, `it``s`") === Right(Seq("c", "it`s")))
    assert(ColumnNames.parse("` x `") === Right(Seq(" x ")))
  }

  test("rejects malformed and duplicate column names") {
    for (text <- Seq("a,,b", ",a", "a,", "", " ", "``")) assert(ColumnNames.parse(text).isLeft, text)
    for (text <- Seq("`a", "a`b`", "`a`b"))
      assert(ColumnNames.parse(text).left.exists(_.contains("backtick")), text)
    assert(ColumnNames.parse("a,b,A").left.exists(_.contains("twice")))
    assert(ColumnNames.parse("a,b,A,B").left.exists(_.contains("'a' is listed twice")))
  }

  test("rendered column names parse to the same names") {
    for (names <- Seq(Seq("a"), Seq("a", "b c"), Seq("a,b", "`", " c "), Seq("``,`", "ü")))
      assert(ColumnNames.parse(ColumnNames.render(names)) === Right(names))
    assert(ColumnNames.render(Seq("a", "b c", "d,e")) === "a,b c,`d,e`")
  }
}
