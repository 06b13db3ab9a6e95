// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ManualClock
import stoplog.commit.Samples._
import stoplog.fault.Faults
import stoplog.part.{Closed, PartRows, Pending}
import stoplog.plan.{Attempt, TaskPlan, TaskResult}
import stoplog.rolling.RollReason
import stoplog.sink.{Prepared, TwoPhaseWriter}
import stoplog.twophase.PreparingWriter

class PreparingWriterSuite extends AnyFunSuite {

  private final class Fixture(prepared: Prepared*) {
    val clock = new ManualClock(1000)
    val calls = mutable.ArrayBuffer.empty[String]
    val plan  = TaskPlan(mine, 5, slot = 2, Attempt.First, Vector.empty, firstPart = 40, stride = 3)
    val task  =
      new PreparingWriter[String](
        plan,
        () => new Writer,
        clock,
        Faults.none,
        () => { calls += "mayStart"; () }
      )

    final class Writer extends TwoPhaseWriter[String] {
      calls += "open"
      override def write(row: String): Unit    = calls += s"write $row"
      override def prepare(): Vector[Prepared] = { calls += "prepare"; prepared.toVector }
      override def abort(): Unit               = calls += "abort"
      override def close(): Unit               = calls += "close"
    }
  }

  test("the writer is created with the first row, after the fencing check") {
    val world = new Fixture
    assert(world.calls.isEmpty)
    world.task.write("a")
    world.task.write("b")
    assert(world.calls === Seq("mayStart", "open", "write a", "write b"))
    assert(world.task.rows === 2)
  }

  test("a task without rows opens and prepares nothing") {
    val world = new Fixture
    assert(world.task.commit() === TaskResult(2, Attempt.First, Vector.empty, Vector.empty, 40))
    world.task.close()
    assert(world.calls.isEmpty)
  }

  test("prepared transactions become closed parts, with a size of at least one byte") {
    val world = new Fixture(Prepared("x", "token-x", rows = 2, bytes = 0), Prepared("y", "token-y", 3, 70))
    world.task.write("a")
    world.clock.advance(500)
    val result                                                  = world.task.commit()
    def pending(name: String, rows: Long, bytes: Long): Pending =
      Pending("", name, Closed(s"token-$name"), bytes, PartRows(rows, 1000, 1500), RollReason.Checkpoint)
    assert(result.closed === Vector(pending("x", 2, 1), pending("y", 3, 70)))
    assert(
      (result.slot, result.attempt, result.open, result.nextPart) === ((2, Attempt.First, Vector.empty, 40L))
    )
  }

  test("an abort before the commit runs once") {
    val world = new Fixture
    world.task.write("a")
    world.task.abort()
    world.task.abort()
    assert(world.calls.count(_ == "abort") === 1)
  }

  test("an abort after the commit undoes nothing, as the driver may have recorded the result") {
    val world = new Fixture(Prepared("x", "token-x", 1, 1))
    world.task.write("a")
    world.task.commit()
    world.task.abort()
    world.task.close()
    world.task.close()
    assert(world.calls.drop(3) === Seq("prepare", "close"))
  }
}
