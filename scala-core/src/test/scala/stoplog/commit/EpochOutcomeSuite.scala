// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.Samples._
import stoplog.part.{Open, SchemaId}
import stoplog.plan.{Attempt, EpochPlan, TaskResult}
import stoplog.rolling.RollReason

class EpochOutcomeSuite extends AnyFunSuite {

  private def plan(handed: Map[Int, Vector[Open]], slots: Int = 2, firstPart: Long = 10): EpochPlan =
    EpochPlan(mine, 0, None, slots, handed, firstPart)

  private def result(slot: Int, attempt: Attempt = Attempt.First, nextPart: Long = 10): TaskResult =
    TaskResult(slot, attempt, Vector.empty, Vector.empty, nextPart)

  private def draft(plan: EpochPlan, results: TaskResult*): EpochOutcome =
    EpochOutcome.of(plan, results, Rolls.atAge(100), schema, nowMillis = 1000)

  private val schema = Some(SchemaId("now"))

  private val young = open("young", openedAtMillis = 950)

  test("closed and open parts are accepted as the tasks report them") {
    val mine =
      withRows(open("mine", openedAtMillis = 0))(
        _.copy(schema = schema)
      ) // old enough to be due, but its task has decided
    val drawn = draft(plan(Map.empty), result(0).copy(closed = Vector(done("done")), open = Vector(mine)))
    assert(drawn.closed === Vector(withRows(done("done"))(_.copy(schema = schema))))
    assert(drawn.open === Vector(mine))
    assert(drawn.due.isEmpty)
  }

  test("a part without new rows stays open with its owner") {
    assert(draft(plan(Map(0 -> Vector(young))), result(0), result(1)).open === Vector(young))
  }

  test("a part that a task wrote or closed is replaced by its new state") {
    val written = withRows(young)(_.copy(schema = schema)).copy(validBytes = 99)
    val drawn   = draft(plan(Map(0 -> Vector(young))), result(0).copy(open = Vector(written)))
    assert(drawn.open === Vector(written))
    val closed = draft(plan(Map(0 -> Vector(young))), result(0).copy(closed = Vector(done("young"))))
    assert(closed.open.isEmpty)
  }

  test("a part has the schema of its new rows, and otherwise keeps its schema") {
    val before = withRows(young)(_.copy(schema = Some(SchemaId("before"))))
    val handed =
      plan(Map(0 -> Vector(before, before.copy(name = "written"), before.copy(name = "full"))))
    val full  = withRows(done("full"))(_.copy(count = before.records))
    val drawn = draft(
      handed,
      result(0).copy(closed = Vector(full, done("done")), open = Vector(young.copy(name = "written")))
    )
    assert(drawn.closed.map(_.schema) === Vector(before.schema, schema))
    assert(
      drawn.open.map(part => part.name -> part.schema).toMap === Map(
        "young"   -> before.schema,
        "written" -> schema
      )
    )
  }

  test("times from an executor with a fast clock are capped at the driver's time") {
    val ahead =
      withRows(open("ahead", openedAtMillis = 5000))(_.copy(schema = schema, lastWrittenAtMillis = 6000))
    val closed = withRows(done("closed"))(_.written(4000, 4500))
    val before = open("before", openedAtMillis = 7000)
    val drawn  = draft(
      plan(Map(0 -> Vector(before))),
      result(0).copy(open = Vector(ahead, open("behind", openedAtMillis = 7)), closed = Vector(closed))
    )
    val times =
      (drawn.open ++ drawn.closed).map(part => part.name -> (part.openedAtMillis, part.lastWrittenAtMillis))
    assert(
      times.toMap === Map(
        "ahead"  -> (1000, 1000),
        "behind" -> (7, 7),
        "before" -> (1000, 1000),
        "closed" -> (1000, 1000)
      )
    )
  }

  test("parts with the same name in two buckets are distinct") {
    val elsewhere = young.copy(bucket = "c")
    val drawn     =
      draft(plan(Map(0 -> Vector(young, elsewhere))), result(0).copy(closed = Vector(done("young"))))
    assert(drawn.open === Vector(elsewhere))
  }

  test("a part without new rows is due by the clock") {
    val old = open("old", openedAtMillis = 900)
    assert(
      draft(plan(Map(1 -> Vector(old))), result(0), result(1)).due === Vector(
        EpochOutcome.PartToClose(old, RollReason.Age)
      )
    )
  }

  test("an untouched part loses its owner if its task was repeated or absent") {
    for (owner <- Seq(Samples.mine, other)) {
      val handed   = plan(Map(0 -> Vector(young.ownedBy(Some(owner)))))
      val disowned = Vector(young.ownedBy(None))
      assert(draft(handed, result(0, Attempt.Repeated), result(1)).open === disowned)
      assert(draft(handed, result(1)).open === disowned)
    }
  }

  test("an untouched part of an earlier run keeps its owner, so that the next task can fence the part") {
    val foreign = Vector(young.ownedBy(Some(other)))
    assert(draft(plan(Map(0 -> foreign)), result(0)).open === foreign)
  }

  test("the next part number follows every number that a task used") {
    assert(
      draft(
        plan(Map.empty, firstPart = 10),
        result(0, nextPart = 14),
        result(1, nextPart = 13)
      ).nextPart === 14
    )
    assert(draft(plan(Map.empty, firstPart = 10)).nextPart === 10)
  }
}
