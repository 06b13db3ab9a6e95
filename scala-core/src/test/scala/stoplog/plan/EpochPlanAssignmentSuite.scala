// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples.open

class EpochPlanAssignmentSuite extends AnyFunSuite {

  private def names(assigned: Map[Int, Vector[stoplog.part.Open]]): Map[Int, Vector[String]] =
    assigned.map { case (slot, parts) => slot -> parts.map(_.name) }

  test("a part is assigned to the slot that wrote last") {
    val parts = Vector(open("p0", slot = 0), open("p2", slot = 2), open("q2", bucket = "c", slot = 2))
    val tasks = names(EpochPlan.assign(parts, slots = 3))
    assert(tasks.map { case (slot, all) => slot -> all.toSet } === Map(0 -> Set("p0"), 2 -> Set("p2", "q2")))
  }

  test("with fewer tasks, a part prefers a task without a part of the same bucket") {
    val parts = Vector(open("kept", slot = 0), open("moved", slot = 5), open("shared", slot = 6))
    assert(
      names(EpochPlan.assign(parts, slots = 2)) === Map(
        0 -> Vector("kept", "shared"),
        1 -> Vector("moved")
      )
    )
  }

  test("a single task gets all parts, its own first") {
    val parts = Vector(open("far", slot = 3), open("own", slot = 0), open("other", bucket = "c", slot = 1))
    val mine  = EpochPlan.assign(parts, slots = 1)(0)
    assert(mine.filter(_.bucket == "b").map(_.name) === Vector("own", "far"))
    assert(mine.size === 3)
  }

  test("no open parts give an empty assignment") {
    assert(EpochPlan.assign(Vector.empty, slots = 4) === Map.empty)
  }

  test("every part is assigned to exactly one task, deterministically and evenly") {
    val random = new Random(5)
    for (_ <- 1 to 500) {
      val parts = Vector.tabulate(random.nextInt(40)) { n =>
        open(s"p$n", bucket = s"b${random.nextInt(6)}", slot = random.nextInt(12))
      }
      val slots    = 1 + random.nextInt(12)
      val assigned = EpochPlan.assign(parts, slots)
      assert(assigned.values.flatten.map(_.name).toVector.sorted === parts.map(_.name).sorted)
      assert(assigned.keys.forall(slot => slot >= 0 && slot < slots))
      assert(EpochPlan.assign(parts, slots) === assigned)
      for ((_, ofBucket) <- parts.groupBy(_.bucket) if ofBucket.forall(_.slot >= slots)) {
        val loads = (0 until slots).map(s => assigned.getOrElse(s, Vector.empty).count(ofBucket.contains))
        assert(loads.max - loads.min <= 1, "displaced parts are spread evenly")
      }
    }
  }
}
