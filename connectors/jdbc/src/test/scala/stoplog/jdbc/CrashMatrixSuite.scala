// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, InjectedFault, Step}

/** Killed at each step, a run is followed by another that repeats what Spark has not seen committed, with other tasks.
  */
class CrashMatrixSuite extends AnyFunSuite {
  private final val Epochs = 4

  for {
    database <- Seq(TestDatabase.derby(), TestDatabase.postgres)
    step     <- Step.ofJdbc
  }
    test(s"$database: exactly-once inserts, killed at ${step.name}: ${step.after}") {
      val table = database.newHeap()
      var lived = 0
      for (occurrence <- 1 to 4) {
        if (crashes(database, table, step, occurrence)) lived += 1
        assertNoneTwice(database, table)
      }
      live(
        new Rig(database, table, database.connector),
        run = "last",
        from = committed(database, table),
        tasks = 3
      )
      assert(lived > 0, "the step was never reached")
      assert(ids(database, table) === (0 until Epochs * 10))
      assert(database.count(new Rig(database, table, database.connector).tables.staging.table) === 0)
    }

  for {
    database <- Seq(TestDatabase.derby(), TestDatabase.postgres)
    step     <- Seq(Step.JdbcBatchSent, Step.JdbcTaskDone)
  }
    test(s"$database: upserts, killed at ${step.name}: ${step.after}") {
      val table = database.newTable()
      for (occurrence <- 1 to 4) {
        val rig = new Rig(database, table, database.connector, faults = new Nth(step, occurrence))
        intercept[InjectedFault](for (_ <- 1 to 5) rig.upsert((1L to 10L).map(id => id -> s"w$id"): _*))
      }
      new Rig(database, table, database.connector).upsert((1L to 10L).map(id => id -> s"w$id"): _*)
      assert(ids(database, table) === (1 to 10))
    }

  /** A run from what a checkpoint would say, until the fault; whether it came. */
  private def crashes(database: TestDatabase, table: String, step: Step, occurrence: Int): Boolean = {
    val rig = new Rig(database, table, database.connector, faults = new Nth(step, occurrence))
    try {
      live(rig, s"run-$occurrence", seen(database, table), tasks = occurrence)
      false
    } catch { case _: InjectedFault => true }
  }

  private def live(rig: Rig, run: String, from: Int, tasks: Int): Unit = {
    val driver = rig.driver("query", run)
    for (epoch <- from until Epochs) if (driver.begin(epoch.toLong) == Begun.Open) {
      val rows   = (0 until 10).map(i => (epoch * 10L + i) -> s"w$i")
      val shares = rows.grouped((rows.size + tasks - 1) / tasks).toSeq
      driver.commit(epoch.toLong, shares.map(share => rig.stage(share: _*)), Existing.Keep)
    }
  }

  // Spark has seen the last commit or not: both may be, and the older is the harder.
  private def seen(database: TestDatabase, table: String): Int = math.max(0, committed(database, table) - 1)

  private def committed(database: TestDatabase, table: String): Int =
    ids(database, table).lastOption.fold(0)(_ / 10 + 1)

  private def ids(database: TestDatabase, table: String): Seq[Int] =
    database.rows(s"SELECT id FROM $table ORDER BY id").map(_.head.toInt)

  private def assertNoneTwice(database: TestDatabase, table: String): Unit = {
    val found = ids(database, table)
    assert(found === (0 until found.size), "whole epochs, each once")
    assert(found.size % 10 === 0)
  }

  private final class Nth(step: Step, occurrence: Int) extends Faults {
    private var seen                 = 0
    override def at(now: Step): Unit = if (now == step) {
      seen += 1
      if (seen == occurrence) throw new InjectedFault(step)
    }
  }
}
