// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import org.scalatest.funsuite.AnyFunSuite

import stoplog.admin.AdminWorld.within
import stoplog.commit.{Finish, Rolls}
import stoplog.fault.Step

/** Every tool killed at every step that it passes, the first and the last time; then it is run again, and then the query
  * goes on: each row once.
  */
class AdminCrashSuite extends AnyFunSuite {
  private val first = Seq("ant", "ape", "bee")
  private val later = Seq("asp", "bat", "cat")
  private val all   = first ++ later :+ "dog"

  survives("finalize", Seq(Step.PartPublished))("query", 2, all)(_.finalizeOpenParts())
  survives("clean", Seq(Step.MidSweep))("query", 2, all)(_.clean())
  survives("adopt", Nil)("other", 9, all)(_.adopt(NewOwner("other", 9)))
  survives("reset", Seq(Step.LogKept))("other", 0, all)(_.reset(OpenRows.Finish))
  survives("reset with open rows aside", Seq(Step.LogKept))(
    "other",
    0,
    Seq("ant", "ape", "dog")
  )(
    _.reset(OpenRows.MoveAside)
  )
  survives("rewind", Seq(Step.PartKept, Step.BeforeRewind, Step.MidReplace))("query", 1, first :+ "dog")(
    _.rewind(0)
  )

  /** @param steps among those that it has to pass, as every tool passes a claim and a release */
  private def survives(
      name: String,
      steps: Seq[Step]
  )(queryId: String, nextEpoch: Long, expected: Seq[String])(
      tool: SinkAdmin => AdminPlan
  ): Unit = test(s"$name is completed after a crash at any step, and a query resumes the sink") {
    val passed = stopped()(_.passed(tool))
    assert((steps ++ Seq(Step.AfterClaim, Step.BeforeRelease, Step.AfterRelease)).forall(passed.contains))
    for {
      (step, times) <- passed.toSeq.sortBy(_._1.name)
      nth           <- Seq(1, times).distinct
    } withClue(s"$name killed at ${step.name} ($nth)") {
      stopped() { world =>
        assert(world.killed(step, nth)(tool))
        tool(world.tools()).carryOut(WhenAlive.Fence)
        val next = world.driver(queryId = queryId)
        world.epoch(next, nextEpoch, "dog")
        next.end(Finish.PublishOpen)
        assert((world.rows ++ Nil) === expected.sorted)
        if (expected.size < all.size)
          assert(
            (world.rows ++ world.rowsUnder("_stoplog/main/aside")).toSet === all.toSet,
            "nothing is lost"
          )
      }
    }
  }

  /** A query that was killed after two epochs, with orphans of its own. */
  private def stopped[A]()(test: AdminWorld => A): A = within(Rolls.atRecords(2)) { world =>
    val driver = world.driver()
    world.epoch(driver, 0, first: _*)
    world.epoch(driver, 1, later: _*)
    (1 to 2).foreach(n => world.orphan(s"dead-$n", ageMinutes = 12))
    test(world)
  }
}
