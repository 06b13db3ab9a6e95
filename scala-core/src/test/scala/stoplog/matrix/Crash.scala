// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

import stoplog.commit.ManualClock
import stoplog.fault.Step

/** One cell of the matrix: a query of two runs is stopped at one point, and its successors do the rest.
  *
  * @param again  where the first successor is killed in its turn
  * @param copier who comes to the directory before the successor does
  */
final case class Crash(
    site: Scenario,
    at: CrashPoint.At,
    fate: CrashMode,
    again: Option[CrashPoint.At],
    copier: DirectoryCopier = DirectoryCopier.Nobody
) {

  /** Whether the step was reached, and what was wrong afterwards. */
  def verdict(): Verdict = {
    val place = site.newPlace()
    val dooms = (new CrashPoint(Some(at)), new CrashPoint(again))
    try new Course(place, dooms._1, dooms._2).run()
    finally {
      place.remove()
      dooms._1.bury()
      dooms._2.bury()
    }
  }

  private final class Course(place: Place, doom: CrashPoint, heirsDoom: CrashPoint) {
    private val clock = Crash.clock()

    def run(): Verdict = {
      place.leaveOrphans(2)
      val victim = new ProcessRun(place, clock, doom, Checkpoint.empty, ProcessRun.planned)
      if (!doom.struck) Verdict(struck = false, victim.failure.map(e => s"the run failed: $e").toVector)
      else {
        if (fate == CrashMode.Killed) place.processesDied()
        val missing  = Oracle.missing(place)
        val copies   = copier.come(place)
        val failures = succeed(victim.checkpoint) ++ copies.problems()
        val before   = Oracle.problems(place, JobRows.Epochs)
        val woken    = if (fate == CrashMode.Woken) wake(victim) else Vector.empty
        Verdict(struck = true, missing ++ failures ++ before ++ woken ++ CleanupCheck.problems(place, clock))
      }
    }

    private def succeed(from: Checkpoint): Vector[String] = {
      val heir = new ProcessRun(place, clock, heirsDoom, from, ProcessRun.rest)
      val last =
        if (!heirsDoom.struck) heir
        else {
          place.processesDied()
          new ProcessRun(place, clock, new CrashPoint(None), heir.checkpoint, ProcessRun.rest)
        }
      last.failure.map(e => s"the successor failed: $e").toVector
    }

    /** Whatever it still does: it may find out that it was overtaken, but not harm anybody. */
    private def wake(victim: ProcessRun): Vector[String] = {
      victim.wake()
      val unnamed = victim.failure.filterNot(_.isInstanceOf[SparkThrowable])
      Oracle.problems(place, JobRows.Epochs).map(_ + " after waking") ++ unnamed.map(e => s"it woke to $e")
    }
  }
}

/** How one crash went. */
final case class Verdict(struck: Boolean, problems: Vector[String])

object Crash {

  /** Everything looks older than the grace time: nothing unfinished is spared for its youth. */
  def clock(): ManualClock = new ManualClock(System.currentTimeMillis() + 60 * 60 * 1000L)

  /** What is beside parts once none is open. Orphans of other runs are left until they are old enough. */
  private def besides(place: Place): Vector[String] =
    place.files().filter(_.startsWith(s"_stoplog/${Place.SinkId}/beside/")) ++ place.uploads()

  /** How often an undisturbed query passes each step; fails unless all of its rows arrive. */
  def occurrences(site: Scenario): Map[Step, Int] = {
    val place = site.newPlace()
    try {
      place.leaveOrphans(2)
      val doom = new CrashPoint(None)
      val life = new ProcessRun(place, clock(), doom, Checkpoint.empty, ProcessRun.planned)
      life.failure.foreach(e => throw new AssertionError("an undisturbed query failed", e))
      val problems = Oracle.problems(place, JobRows.Epochs) ++ besides(place).map(_ + " is left")
      require(problems.isEmpty, problems.mkString("; "))
      doom.occurrences
    } finally place.remove()
  }
}
