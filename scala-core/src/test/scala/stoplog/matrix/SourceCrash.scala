// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

import stoplog.fault.Step

/** One cell: a process that reads is stopped at one point, and its successors do the rest.
  *
  * @param again where the first successor is killed in its turn
  */
final case class SourceCrash(
    storage: SourceStorage,
    mode: SourceMode,
    at: CrashPoint.At,
    fate: CrashMode,
    again: Option[CrashPoint.At]
) {

  /** Whether the step was reached, and what was wrong afterwards. */
  def verdict(): Verdict = {
    val place  = storage.newPlace()
    val dooms  = (new CrashPoint(Some(at)), new CrashPoint(again))
    val course = new Course(place, dooms._1, dooms._2)
    try course.run()
    finally {
      dooms._1.bury()
      dooms._2.bury()
      course.end()
      place.remove()
    }
  }

  private final class Course(place: SourcePlace, doom: CrashPoint, heirsDoom: CrashPoint) {
    private val ledger   = new SourceLedger
    private val arrivals = new SourceArrivals(place, mode)
    private var lives    = Vector.empty[CrashableThread]

    def run(): Verdict = {
      arrivals.next(ledger.rows)
      val victim = live(doom)
      if (!doom.struck)
        Verdict(struck = false, victim.failure.map(e => s"the run failed: $e").toVector)
      else {
        val failures = succeed()
        val before   = problems()
        val woken    = if (fate == CrashMode.Woken) wake(victim) else Vector.empty
        Verdict(struck = true, failures ++ before ++ woken)
      }
    }

    private def succeed(): Vector[String] = {
      val heir = live(heirsDoom)
      val last = if (heirsDoom.struck) live(new CrashPoint(None)) else heir
      last.failure.map(e => s"the successor failed: $e").toVector
    }

    /** Whatever it still does: it may find out that it was overtaken, but not harm anybody. */
    private def wake(victim: CrashableThread): Vector[String] = {
      victim.wake()
      val unnamed = victim.failure.filterNot {
        case _: SparkThrowable | _: SourceLedger.Overtaken => true
        case _                                             => false
      }
      val after = live(new CrashPoint(None)).failure.map(e => s"the process after that failed: $e")
      problems().map(_ + " after waking") ++ unnamed.map(e => s"it woke to $e") ++ after
    }

    def end(): Unit = lives.foreach(_.join())

    private def live(doom: CrashPoint): CrashableThread = {
      val life = CrashableThread.live(doom)(new SourceRun(place, mode, ledger, arrivals, doom).go())
      lives :+= life
      life
    }

    private def problems(): Vector[String] = SourceCrash.problems(ledger, arrivals)
  }
}

object SourceCrash {

  /** How often an undisturbed query passes each step; fails unless all of its rows arrive. */
  def occurrences(storage: SourceStorage, mode: SourceMode): Map[Step, Int] = {
    val place = storage.newPlace()
    try {
      val ledger   = new SourceLedger
      val arrivals = new SourceArrivals(place, mode)
      arrivals.next(ledger.rows)
      val doom = new CrashPoint(None)
      val life = CrashableThread.live(doom)(new SourceRun(place, mode, ledger, arrivals, doom).go())
      life.failure.foreach(e => throw new AssertionError("an undisturbed query failed", e))
      val found = problems(ledger, arrivals)
      require(found.isEmpty, found.mkString("; "))
      doom.occurrences
    } finally place.remove()
  }

  private def problems(ledger: SourceLedger, arrivals: SourceArrivals): Vector[String] = {
    val (fed, read) = (arrivals.lines, ledger.rows)
    Vector(
      fed.diff(read).map(line => s"$line was not read"),
      read.diff(fed).map(line => s"$line was read twice"),
      ledger.problems,
      arrivals.lost()
    ).flatten
  }
}
