// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.format.Travel
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

  test("each task gets on its executor what the driver planned for it") {
    val arrived = Travel.toTask(TaskPlans.of(plan))
    for {
      slot    <- 0 until 5
      attempt <- Seq(Attempt.First, Attempt.Repeated)
    }
      assert(arrived.forTask(slot, attempt) === plan.forTask(slot, attempt))
    assert(arrived.isCommitted(3) && !arrived.isCommitted(4))
  }

  test("a large plan goes in pieces, and a task asks for its own") {
    val handed  = (0 until 40).map(slot => slot -> Vector(open(s"part-$slot.txt", token = "x" * 30000))).toMap
    val large   = plan.copy(slots = 40, handed = handed)
    val carried = scala.collection.mutable.ArrayBuffer.empty[Array[Byte]]
    val plans   = TaskPlans.of(
      large,
      bytes => { carried += bytes; TaskPlansSuite.Asked.of(carried.size - 1, bytes) }
    )
    assert(carried.size === 5 && carried.forall(_.length <= (256 << 10)), "eight slots of 30 kB in each")
    val arrived = Travel.toTask(plans)
    for (slot <- 0 until 40) {
      TaskPlansSuite.Asked.pieces.clear()
      assert(arrived.forTask(slot, Attempt.First) === large.forTask(slot, Attempt.First))
      assert(TaskPlansSuite.Asked.pieces.toSet === Set(slot / 8))
    }
  }

  test("a small plan goes in the one object") {
    val small   = plan.copy(handed = Map(0 -> Vector(open("part-1.txt")), 3 -> Vector(open("part-3.txt"))))
    val plans   = TaskPlans.of(small, _ => fail("it is small"))
    val arrived = Travel.toTask(plans)
    assert(arrived.forTask(3, Attempt.First) === small.forTask(3, Attempt.First))
  }

  test("nothing of an open part is left out, whatever it is like") {
    for (seed <- 1L to 200L) {
      val open    = new RandomRecords(seed).next().state.open
      val arrived = Travel.toTask(TaskPlans.of(plan.copy(handed = Map(0 -> open))))
      assert(arrived.forTask(0, Attempt.First).handed === open, s"seed $seed")
    }
  }
}

object TaskPlansSuite {

  /** What an engine keeps apart from the object that it sends. */
  object Asked {
    val pieces: scala.collection.mutable.Buffer[Int] = scala.collection.mutable.Buffer.empty

    private val kept = scala.collection.concurrent.TrieMap.empty[Int, Array[Byte]]

    def of(piece: Int, bytes: Array[Byte]): () => Array[Byte] = {
      kept.update(piece, bytes)
      new Asked(piece)
    }

    private final class Asked(piece: Int) extends (() => Array[Byte]) with Serializable {
      override def apply(): Array[Byte] = {
        pieces += piece
        kept(piece)
      }
    }
  }
}
