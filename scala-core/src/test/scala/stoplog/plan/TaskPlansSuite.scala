// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.format.TaskSerialization
import stoplog.log.RandomRecords

class TaskPlansSuite extends AnyFunSuite {
  private val parts = Vector(
    open("part-1.txt", bucket = "ünïcode/a=b c", token = "x" * 100000, validBytes = Long.MaxValue),
    open("part-2.txt", bucket = "", slot = 7, owner = None, openedAtMillis = 1234567890123L)
  )
  private val plan = EpochPlan(
    mine,
    seq = 12,
    lastEpoch = Some(3),
    slots = 5,
    handed = Map(0 -> parts, 3 -> Vector(open("part-3.txt"))),
    firstPart = 40
  )

  test("each task receives the driver's plan on its executor") {
    val arrived = TaskSerialization.toTask(TaskPlans.of(plan))
    for {
      slot    <- 0 until 5
      attempt <- Seq(Attempt.First, Attempt.Repeated)
    }
      assert(arrived.forTask(slot, attempt) === plan.forTask(slot, attempt))
    assert(arrived.isCommitted(3) && !arrived.isCommitted(4))
  }

  test("serialization preserves all fields of an open part") {
    for (seed <- 1L to 200L) {
      val open    = new RandomRecords(seed).next().state.open
      val arrived = TaskSerialization.toTask(TaskPlans.of(plan.copy(handed = Map(0 -> open))))
      assert(arrived.forTask(0, Attempt.First).handed === open, s"seed $seed")
    }
  }
}
