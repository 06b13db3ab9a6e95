// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.math.BigDecimal

import org.scalatest.funsuite.AnyFunSuite

import stoplog.jdbc.types.SqlArray

class KeyOrderSuite extends AnyFunSuite {
  private def array(elements: Any*) = SqlArray("text", elements.toArray)
  private def row(values: Any*)     = new JdbcRow(values.toArray, null)

  /** The rows of a batch, each with its number as the last value. */
  private def batch(keys: Any*): Seq[Int] = {
    val buffer = new RowBuffer.LastOfEachKey(RowKey(Vector(0), None), RowBuffer.Superseded.Dropped, keys.size)
    keys.zipWithIndex.foreach { case (key, i) => buffer.add(row(key, i)) }
    buffer.drain().map(_.values(1).asInstanceOf[Int])
  }

  test("keeps the last row of equal keys of every type") {
    val keys = Seq[() => Any](
      () => array("a", null, "b"),
      () => array(array("x"), Array[Byte](1)),
      () => Array[Byte](1, -1),
      () => new BigDecimal("1.0"),
      () => "k",
      () => true,
      () => 1.5,
      () => java.sql.Date.valueOf("2026-01-01")
    )
    for (key <- keys) assert(batch(key(), key(), key()) === Seq(2), key())
    assert(batch(new BigDecimal("1.0"), new BigDecimal("1.00")) === Seq(1))
  }

  test("distinguishes arrays by elements, nulls and length") {
    assert(batch(array("a"), array("a", "b"), array(null), array()).sorted === Seq(0, 1, 2, 3))
  }

  test("keeps the order of arrival of keys that a database may consider equal") {
    for {
      (first, second) <- Seq[(Any, Any)](
        "b"            -> "B",
        "B"            -> "b",
        "stra\u00dfe"  -> "STRASSE",
        "\u00e9"       -> "e",
        "x  "          -> "x",
        "a-0"          -> "A0",
        "\u00f8"       -> "o",
        "\u00fc"       -> "y",
        "\u00df"       -> "s",
        "\u306f"       -> "\u30cf",
        "\u0661"       -> "1",
        0.0            -> -0.0,
        -0.0f          -> 0.0f,
        Array[Byte](7) -> Array[Byte](7, 0),
        array("a")     -> array("A")
      )
      (earlier, later) <- Seq(first -> second, second -> first)
    } assert(batch(earlier, later) === Seq(0, 1), s"$earlier, $later")
  }

  test("the order of distinct keys does not depend on the order of arrival") {
    val keys                      = Seq("b", "a", "D", "c")
    def sorted(keys: Seq[String]) = {
      val buffer = new RowBuffer.LastOfEachKey(RowKey(Vector(0), None), RowBuffer.Superseded.Dropped, 9)
      keys.foreach(key => buffer.add(row(key)))
      buffer.drain().map(_.values(0))
    }
    for (some <- keys.permutations) assert(sorted(some) === Seq("a", "b", "c", "D"))
  }
}
