// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._

class EpochPlanSuite extends AnyFunSuite {

  test("an attempt is the first only if both task and stage attempts are the first") {
    assert(Attempt.of(taskAttempt = 0, stageAttempt = 0) === Attempt.First)
    for ((task, stage) <- Seq((1, 0), (0, 1), (1, 1)))
      assert(Attempt.of(task, stage) === Attempt.Repeated)
  }

  test("tasks of a batch job interleave part numbers and resume no open parts") {
    val plan = EpochPlan.ofJob(mine, slots = 3)
    assert(plan.forTask(2, Attempt.First) === TaskPlan(mine, -1, 2, Attempt.First, Vector.empty, 2, 3))
    assert(!plan.isCommitted(0))
  }

  test("rejected rows follow a task's regular parts, and the next part number is the maximum") {
    def result(name: String, nextPart: Long) =
      TaskResult(1, Attempt.Repeated, Vector(done(name)), Vector(open(s"$name.open")), nextPart)
    for ((own, rejected) <- Seq((20L, 30L), (30L, 20L))) {
      val both = result("rows", own).withRejected(result("rejected", rejected), rows = 6)
      assert(both.closed.map(_.name) === Vector("rows", "rejected"))
      assert(both.open.map(_.name) === Vector("rows.open", "rejected.open"))
      assert((both.slot, both.attempt, both.nextPart, both.rejectedRows) === ((1, Attempt.Repeated, 30L, 6L)))
    }
  }
}
