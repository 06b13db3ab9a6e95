// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types.{StringType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.format.SchemaChange.{arranged, between, merged}

class SchemaChangeSuite extends AnyFunSuite {

  private def columns(ddl: String): StructType = StructType.fromDDL(ddl)

  private val before = columns("id BIGINT NOT NULL, word STRING, at STRUCT<x: INT, y: INT>")

  test("column order is not a change, and the written schema keeps the former order") {
    val now = columns("at STRUCT<x: INT, y: INT>, word STRING, id BIGINT NOT NULL")
    assert(between(before, now).isEmpty)
    assert(arranged(before, now) === before)
  }

  test("a column that becomes NOT NULL is not a change and stays nullable") {
    val now = columns("id BIGINT NOT NULL, word STRING NOT NULL, at STRUCT<x: INT NOT NULL, y: INT>")
    assert(between(before, now).isEmpty)
    assert(arranged(before, now) === before)
  }

  test("added columns and struct fields are an addition at the end") {
    val now    = columns("more INT, at STRUCT<x: INT, y: INT, z: INT>, id BIGINT NOT NULL, word STRING")
    val change = between(before, now)
    assert(change.added === Vector("more INT", "at.z INT"))
    assert(change.isAdditive && !change.isEmpty)
    assert(arranged(before, now).fieldNames.toSeq === Seq("id", "word", "at", "more"))
    assert(arranged(before, now)("at") === now("at"))
  }

  test("a column that becomes nullable counts as an addition") {
    val now = columns("id BIGINT, word STRING, at STRUCT<x: INT, y: INT>")
    assert(between(before, now) === SchemaChange.none.copy(relaxed = Vector("id")))
    assert(between(before, now).isAdditive)
    assert(arranged(before, now) === now)
  }

  test("removed and retyped columns are reported by name, also in nested types") {
    val was = columns(
      "a INT, b ARRAY<STRUCT<c: INT>>, e MAP<STRING, INT>, f STRUCT<g: INT, h: INT>, i STRUCT<j: INT>"
    )
    val is =
      columns("b ARRAY<STRUCT<c: BIGINT>>, e MAP<STRING, DATE>, f STRUCT<h: INT, g: INT>, i STRUCT<k: INT>")
    val change = between(was, is)
    assert(change.removed === Vector("a"))
    assert(
      change.retyped === Vector(
        "b.element.c BIGINT (was INT)",
        "e.value DATE (was INT)",
        "f STRUCT<h: INT, g: INT> (was STRUCT<g: INT, h: INT>)",
        "i STRUCT<k: INT> (was STRUCT<j: INT>)"
      )
    )
    assert(!change.isAdditive)
    assert(arranged(was, is) === is && merged(was, is) === is)
  }

  test("a removed column alone is an addition, whose file keeps the column as nullable") {
    val now = columns("more INT, id BIGINT NOT NULL")
    assert(between(before, now).isAdditive)
    assert(arranged(before, now) === now)
    assert(
      merged(before, now) === columns("id BIGINT NOT NULL, word STRING, at STRUCT<x: INT, y: INT>, more INT")
    )
  }

  test("a name that differs in case only is another type, not an addition") {
    val change = between(columns("id BIGINT, word STRING"), columns("ID BIGINT, word STRING"))
    assert(change.retyped === Vector("ID BIGINT (was id BIGINT)"))
    assert(change.added.isEmpty && change.removed.isEmpty)
  }

  test("columns with duplicate names stay unchanged") {
    val twins = new StructType().add("a", StringType).add("b", StringType).add("a", StringType)
    assert(arranged(twins, twins) === twins)
    assert(arranged(columns("b STRING, a STRING"), twins) === twins)
  }

  test("describe lists added, removed and retyped columns") {
    val change = between(columns("a INT, b INT"), columns("b STRING, c DATE"))
    assert(change.describe === "added: c DATE; removed: a; of another type: b STRING (was INT)")
  }
}
