// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types.{StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SchemaChange.{arranged, between}

class SchemaChangeSuite extends AnyFunSuite {

  private def columns(ddl: String): StructType = StructType.fromDDL(ddl)

  private val before = columns("id BIGINT NOT NULL, word STRING, at STRUCT<x: INT, y: INT>")

  test("the order of columns is no change, and what is written keeps the order of before") {
    val now = columns("at STRUCT<x: INT, y: INT>, word STRING, id BIGINT NOT NULL")
    assert(between(before, now).isEmpty)
    assert(arranged(before, now) === before)
  }

  test("a column that can no longer be null is no change: it still may") {
    val now = columns("id BIGINT NOT NULL, word STRING NOT NULL, at STRUCT<x: INT NOT NULL, y: INT>")
    assert(between(before, now).isEmpty)
    assert(arranged(before, now) === before)
  }

  test("columns, and fields of structs, that come to it are an addition, and go to the end") {
    val now    = columns("more INT, at STRUCT<x: INT, y: INT, z: INT>, id BIGINT NOT NULL, word STRING")
    val change = between(before, now)
    assert(change.added === Vector("more INT", "at.z INT"))
    assert(change.isAdditive && !change.isEmpty)
    assert(arranged(before, now).fieldNames.toSeq === Seq("id", "word", "at", "more"))
    assert(arranged(before, now)("at") === now("at"))
  }

  test("a column that may be null now is as good as an addition") {
    val now = columns("id BIGINT, word STRING, at STRUCT<x: INT, y: INT>")
    assert(between(before, now) === SchemaChange.none.copy(relaxed = Vector("id")))
    assert(between(before, now).isAdditive)
    assert(arranged(before, now) === now)
  }

  test("what is gone, and what has another type, is told by name, inside of other types too") {
    val was = columns("a INT, b ARRAY<STRUCT<c: INT, d: INT>>, e MAP<STRING, INT>, f STRUCT<g: INT, h: INT>")
    val is  = columns("b ARRAY<STRUCT<c: BIGINT>>, e MAP<STRING, DATE>, f STRUCT<h: INT, g: INT>")
    val change = between(was, is)
    assert(change.removed === Vector("a", "b.element.d"))
    assert(
      change.retyped === Vector(
        "b.element.c BIGINT (was INT)",
        "e.value DATE (was INT)",
        "f STRUCT<h: INT, g: INT> (was STRUCT<g: INT, h: INT>)"
      )
    )
    assert(!change.isAdditive)
    assert(arranged(was, is) === is)
  }

  test("two columns of one name are left as they are") {
    val twins = new StructType().add("a", StringType).add("b", StringType).add("a", StringType)
    assert(arranged(twins, twins) === twins)
    assert(arranged(columns("b STRING, a STRING"), twins) === twins)
  }

  test("a change in words") {
    val change = between(columns("a INT, b INT"), columns("b STRING, c DATE"))
    assert(change.describe === "added: c DATE; removed: a; of another type: b STRING (was INT)")
  }
}
