// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.collection.mutable
import scala.util.Try

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.{Faults, InjectedFault, Step}
import stoplog.log.{CommitLog, MemoryRecords}

/** The crash matrix of sinks that commit in two phases: a query dies at each occurrence of each step, and its heir too. */
class TwoPhaseMatrixSuite extends AnyFunSuite {

  private final class Deadly(step: Step, occurrence: Int) extends Faults {
    private var seen = 0

    override def at(now: Step): Unit = if (now == step) {
      seen += 1
      if (seen == occurrence) throw new InjectedFault(step)
    }
  }

  private final class Counting extends Faults {
    val seen: mutable.Map[Step, Int] = mutable.Map.empty

    override def at(now: Step): Unit = seen(now) = seen.getOrElse(now, 0) + 1
  }

  private final class Case {
    val world           = new TransactionWorld
    private val records = new MemoryRecords
    private val clock   = new ManualClock(1L << 40)
    private val query   = new TransactionQuery(world, () => new CommitLog(records), clock)

    def run(faults: Faults): Try[Unit] = {
      clock.advance(1000)
      Try(query.run(faults))
    }

    def holds(what: String): Unit = {
      assert(world.rows.sorted === TransactionQuery.allRows.sorted, what)
      assert(world.dangling === Set.empty, what)
    }
  }

  /** Every occurrence of every step that an undisturbed query passes. */
  private lazy val deaths: Seq[(Step, Int)] = {
    val counting = new Counting
    new Case().run(counting).get
    for {
      (step, times) <- counting.seen.toSeq.sortBy(_._1.name)
      occurrence    <- 1 to times
    } yield step -> occurrence
  }

  test("an undisturbed query passes the steps of an epoch") {
    val passed = deaths.map(_._1).toSet
    val wanted = Set[Step](
      Step.BeforeClaim,
      Step.AfterClaim,
      Step.PartOpened,
      Step.MidWrite,
      Step.BeforeSync,
      Step.AfterSync,
      Step.BeforeRecord,
      Step.AfterRecord,
      Step.PartPublished,
      Step.AfterPublish,
      Step.AfterMark,
      Step.AfterTrim,
      Step.BeforeRelease,
      Step.AfterRelease
    )
    assert(wanted.subsetOf(passed))
  }

  test("a crash at any step loses and repeats no row") {
    for ((step, occurrence) <- deaths) {
      val crash = new Case
      assert(crash.run(new Deadly(step, occurrence)).isFailure, s"$step $occurrence")
      crash.run(Faults.none).get
      crash.holds(s"$step $occurrence")
    }
  }

  test("a crash of the successor at any step loses and repeats no row") {
    for {
      (first, nth)  <- deaths
      (second, mth) <- deaths
    } {
      val crash = new Case
      crash.run(new Deadly(first, nth))
      crash.run(new Deadly(second, mth)) // it may get past it: less is left to do
      crash.run(Faults.none).get
      crash.holds(s"$first $nth, then $second $mth")
    }
  }

  test("a fenced driver commits nothing") {
    val world   = new TransactionWorld
    val records = new MemoryRecords
    val clock   = new ManualClock(1L << 40)
    val query   = new TransactionQuery(world, () => new CommitLog(records), clock)
    val heir    = new TransactionQuery(world, () => new CommitLog(records), clock)
    // The heir comes when the first driver is about to write the record of its first epoch.
    val overtaken = new Faults {
      private var first                = true
      override def at(now: Step): Unit = if (now == Step.BeforeRecord && first) {
        first = false
        heir.run(Faults.none)
      }
    }
    assert(Samples.condition(query.run(overtaken)) === "STOPLOG_FENCED")
    assert(world.rows.sorted === TransactionQuery.allRows.sorted)
  }
}
