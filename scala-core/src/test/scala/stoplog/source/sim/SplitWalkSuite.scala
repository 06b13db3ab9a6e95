// SPDX-License-Identifier: Apache-2.0
package stoplog.source.sim

import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.source.sim.SplitWalk.Between

/** The log of splits in small worlds: some drivers on one checkpoint, in every order of their requests. */
class SplitWalkSuite extends AnyFunSuite {
  import SplitWalkSuite._

  for (log <- Vector(SparksLog.Kept, SparksLog.Unguarded))
    holds(s"three drivers, Spark's log $log", three(SplitMutation.Unchanged, log))
  holds("three drivers that plan everything again", again(SplitMutation.Unchanged))
  holds("two drivers, also while they open records", two(SplitMutation.Unchanged))
  if (LongRun.isOn)
    holds("three drivers, also while they open records", large(SplitMutation.Unchanged))

  caught(
    "a driver that was overtaken removes its record, also when another one goes on from it",
    again(SplitMutation.DeletesAlways)
  )
  caught("a record counts, whatever was behind it", three(SplitMutation.NeverLooksBack, SparksLog.Unguarded))
  caught("records do not name the one before them", three(SplitMutation.NoLinks, SparksLog.Unguarded))

  private def holds(what: String, walk: => SplitWalk): Unit =
    test(s"each split is in a single plan, and a current driver continues: $what") {
      val started = System.nanoTime()
      walk.toTheEnd() match {
        case Right(walked) => info(s"$walked in ${(System.nanoTime() - started) / 1000000} ms")
        case Left(found)   => fail(s"${found.problem}:\n${found.account.mkString("\n")}")
      }
    }

  private def caught(what: String, walk: => SplitWalk): Unit = test(s"the model detects a fault: $what") {
    walk.toTheEnd() match {
      case Right(walked) => fail(s"not caught: $walked")
      case Left(found)   => info(s"${found.problem}, after ${found.account.size} steps")
    }
  }
}

private object SplitWalkSuite {
  private val Splits = Vector("a", "b", "c", "d")

  /** One that goes on and removes old records; two that may sleep until their place is free again, and of which one finds
    * the splits in another order.
    */
  def three(mutation: SplitMutation, log: SparksLog): SplitWalk = {
    val order = Splits.take(3)
    new SplitWalk(
      Vector(
        QueryDriver("one", order, batches = 2, keptBatches = 1, mutation, log),
        QueryDriver("two", order.reverse, batches = 1, keptBatches = 1, mutation, log),
        QueryDriver("three", order, batches = 1, keptBatches = 1, mutation, log)
      ),
      QueryDriver("next", order, batches = 3, keptBatches = 1, mutation, log),
      Between.AllButOpens
    )
  }

  /** The same with so many batches that two strays can lie in a row. */
  def large(mutation: SplitMutation): SplitWalk = new SplitWalk(
    Vector(
      trimming("one", Splits, batches = 3, mutation),
      trimming("two", Splits.reverse, batches = 1, mutation),
      trimming("three", Splits, batches = 1, mutation)
    ),
    trimming("next", Splits, batches = 4, mutation),
    Between.All
  )

  def two(mutation: SplitMutation): SplitWalk = new SplitWalk(
    Vector(
      trimming("one", Splits, batches = 4, mutation),
      trimming("two", Splits.reverse, batches = 2, mutation)
    ),
    trimming("next", Splits, batches = 4, mutation),
    Between.All
  )

  /** Of a query whose own log is lost with each start. None of them removes old records. */
  def again(mutation: SplitMutation): SplitWalk = {
    val order                                        = Splits.take(3)
    def planner(name: String, order: Vector[String]) =
      QueryDriver(name, order, batches = 3, keptBatches = 100, mutation, SparksLog.Lost)
    new SplitWalk(
      Vector(planner("one", order), planner("two", order.reverse), planner("three", order)),
      planner("next", order),
      Between.AllButOpens
    )
  }

  private def trimming(name: String, order: Vector[String], batches: Int, mutation: SplitMutation) =
    QueryDriver(name, order, batches, keptBatches = 1, mutation, SparksLog.Kept)
}
