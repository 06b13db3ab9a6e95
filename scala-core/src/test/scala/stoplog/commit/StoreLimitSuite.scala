// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.{Open, PartNaming, Resume}
import stoplog.plan.{Attempt, TaskPlan}
import stoplog.rolling.RollReason
import stoplog.writing.{SpoolWriter, TaskWriter}

/** Stores that take no more than so many bytes in one part. */
class StoreLimitSuite extends AnyFunSuite {

  test("a part at the store's size limit is closed with reason size, in each epoch") {
    val parts = new MemoryParts
    parts.mostBytes = 20

    def task(firstPart: Long, handed: Vector[Open]) = new TaskWriter[String](
      TaskPlan(mine, 5, 0, Attempt.First, handed, firstPart, stride = 1),
      parts,
      new SpoolWriter(new MemorySpoolFiles, Faults.none),
      Lines,
      TaskWriter.Rules(Rolls.never, PartNaming("part", ".txt"), 100, _ => (), () => ()),
      TaskWriter.Tools(new ManualClock(1000), Faults.none)
    )
    val first = task(firstPart = 1, Vector.empty)
    (1 to 7).foreach(n => first.write("b", s"row $n"))
    val before = first.commit()
    assert(before.closed.map(part => (part.reason, part.sizeBytes)) === Seq.fill(2)((RollReason.Size, 20L)))

    // By another limit, such as that of an upload that has fewer numbers left.
    parts.mostBytes = 5
    val second = task(before.nextPart, before.open)
    second.write("b", "row 8")
    val after = second.commit()
    assert(
      after.closed.map(part => part.name -> part.reason) === Seq(before.open.head.name -> RollReason.Size)
    )
    assert(parts.content(after.open.head.handle.asInstanceOf[Resume].token) === "#\nrow 8\n")
  }
}
