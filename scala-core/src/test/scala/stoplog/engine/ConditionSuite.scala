// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import org.scalatest.funsuite.AnyFunSuite

import stoplog.engine.Condition._

class ConditionSuite extends AnyFunSuite {

  private final class Numbers(known: Map[String, Any]) extends Values {
    override def of(column: String): Value    = known.get(column).fold[Value](Value.Open)(Value.Known(_))
    override def compare(a: Any, b: Any): Int = a.asInstanceOf[Int].compare(b.asInstanceOf[Int])
  }

  private def results(condition: Condition, known: (String, Any)*): Set[Truth] =
    condition.results(new Numbers(known.toMap))

  private def equal(column: String, to: Any) = Compared(column, Comparison.Equal, to)

  private val sides: Map[Truth, Condition] = Truth.all.map(truth => truth -> Constant(truth)).toMap

  test("AND, OR and NOT have the results of SQL") {
    import Truth._
    for {
      (a, left)  <- sides
      (b, right) <- sides
    } {
      val and = if (a == No || b == No) No else if (a == Unknown || b == Unknown) Unknown else Yes
      val or  = if (a == Yes || b == Yes) Yes else if (a == Unknown || b == Unknown) Unknown else No
      assert(results(And(left, right)) === Set(and), s"$a AND $b")
      assert(results(Or(left, right)) === Set(or), s"$a OR $b")
    }
    assert(results(Not(sides(Yes))) === Set(No))
    assert(results(Not(sides(No))) === Set(Yes))
    assert(results(Not(sides(Unknown))) === Set(Unknown))
  }

  test("each comparison holds for the right orders, and is unknown with NULL") {
    import Comparison._
    val holding =
      Map(
        Equal    -> Set(5),
        NotEqual -> Set(4, 6),
        Less     -> Set(4),
        AtMost   -> Set(4, 5),
        Greater  -> Set(6),
        AtLeast  -> Set(5, 6)
      )
    for {
      (comparison, values) <- holding
      value                <- 4 to 6
    } {
      val expected = Set(Truth.of(values(value)))
      assert(results(Compared("a", comparison, 5), "a" -> value) === expected, s"$value $comparison 5")
      assert(
        results(Compared("a", comparison.reversed, value), "a" -> 5) === expected,
        s"5 $comparison.reversed $value"
      )
      assert(results(Compared("a", comparison, 5), "a" -> null) === Set(Truth.Unknown))
      assert(results(Compared("a", comparison, null), "a" -> value) === Set(Truth.Unknown))
    }
  }

  test("NULL is the same as NULL, is in no list, and makes a list without the value unknown") {
    assert(results(Same("a", null), "a" -> null) === Set(Truth.Yes))
    assert(results(Same("a", null), "a" -> 1) === Set(Truth.No))
    assert(results(Same("a", 1), "a" -> 1) === Set(Truth.Yes))
    assert(results(IsNull("a"), "a" -> null) === Set(Truth.Yes))
    assert(results(In("a", Vector(1, 2)), "a" -> 2) === Set(Truth.Yes))
    assert(results(In("a", Vector(1, 2)), "a" -> 3) === Set(Truth.No))
    assert(results(In("a", Vector(1, null)), "a" -> 3) === Set(Truth.Unknown))
    assert(results(In("a", Vector(1, null)), "a" -> 1) === Set(Truth.Yes))
    assert(results(In("a", Vector(1)), "a" -> null) === Set(Truth.Unknown))
  }

  test("a value that is not known yet excludes a partition only if no value can satisfy the condition") {
    val both                                                 = And(equal("a", 1), equal("b", 2))
    val any                                                  = Or(equal("a", 1), equal("b", 2))
    def mayHold(condition: Condition, known: (String, Any)*) = condition.mayHold(new Numbers(known.toMap))
    assert(
      mayHold(both) && mayHold(both, "a" -> 1) && !mayHold(both, "a" -> 2) && !mayHold(both, "a" -> null)
    )
    assert(mayHold(any, "a" -> 2) && !mayHold(any, "a" -> 2, "b" -> 3))
    assert(mayHold(Not(both), "a" -> 1) && !both.holds(new Numbers(Map("a" -> 1))))
    assert(both.columns === Set("a", "b"))
  }
}
