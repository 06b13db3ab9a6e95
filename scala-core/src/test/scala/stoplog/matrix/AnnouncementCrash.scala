// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

import stoplog.fault.Step

/** A query or a batch job with a target of announcements is stopped at one point, and its successors do the rest.
  *
  * @param again where the first successor is killed in its turn
  */
final case class AnnouncementCrash(
    work: AnnouncedWork,
    kind: AnnouncedPlace.Kind,
    at: CrashPoint.At,
    fate: CrashMode,
    again: Option[CrashPoint.At]
) {

  /** Whether the step was reached, and what was wrong afterwards. */
  def verdict(): Verdict = {
    val world = work.newPlace(kind)
    val dooms = (new CrashPoint(Some(at)), new CrashPoint(again))
    val fates = new Course(world, dooms._1, dooms._2)
    try fates.run()
    finally {
      dooms._1.wake()
      dooms._2.wake()
      fates.end()
      world.place.remove()
    }
  }

  private final class Course(world: AnnouncedPlace, doom: CrashPoint, heirsDoom: CrashPoint) {
    private var lives  = Vector.empty[CrashableThread]
    private var newest = work.begin(world, doom)

    def run(): Verdict = {
      val victim = live(newest, doom)
      if (!doom.struck)
        Verdict(struck = false, victim.failure.map(e => s"the run failed: $e").toVector)
      else {
        if (fate == CrashMode.Killed) world.place.processesDied()
        val failures = succeed()
        val before   = problems
        val woken    = if (fate == CrashMode.Woken) wake(victim) else Vector.empty
        Verdict(struck = true, failures ++ before ++ woken)
      }
    }

    private def succeed(): Vector[String] = {
      val heir = next(heirsDoom)
      val last =
        if (!heirsDoom.struck) heir
        else {
          world.place.processesDied()
          next(new CrashPoint(None))
        }
      last.failure.map(e => s"the successor failed: $e").toVector
    }

    /** Whatever it still does: it may find out that it was overtaken, but not harm anybody. */
    private def wake(victim: CrashableThread): Vector[String] = {
      victim.wake()
      val unnamed = victim.failure.filterNot(_.isInstanceOf[SparkThrowable])
      val woken   = world.problems.map(_ + " after waking") ++ unnamed.map(e => s"it woke to $e")
      world.place.processesDied()
      val last = next(new CrashPoint(None))
      woken ++ last.failure.map(e => s"the last process failed: $e") ++ problems.map(_ + " at the end")
    }

    /** Ends all processes, so that they touch nothing any more. */
    def end(): Unit = lives.foreach(_.join())

    private def next(doom: CrashPoint): CrashableThread = {
      newest = newest.next(doom)
      live(newest, doom)
    }

    private def live(process: AnnouncedWork.Process, doom: CrashPoint): CrashableThread = {
      val life = CrashableThread.live(doom)(process.go())
      lives :+= life
      life.awaitIdle()
      life
    }

    private def problems: Vector[String] = world.problems ++ work.problems(world)
  }
}

object AnnouncementCrash {

  /** How often undisturbed work passes each step; fails unless everything is announced. */
  def occurrences(work: AnnouncedWork, kind: AnnouncedPlace.Kind): Map[Step, Int] = {
    val world = work.newPlace(kind)
    try {
      val doom = new CrashPoint(None)
      val life = CrashableThread.live(doom)(work.begin(world, doom).go())
      life.failure.foreach(e => throw new AssertionError("undisturbed work failed", e))
      val problems = world.problems ++ work.problems(world)
      require(problems.isEmpty, problems.mkString("; "))
      require(world.target.accepted.nonEmpty, "nothing was announced")
      doom.occurrences.filter { case (step, _) => Step.ofAnnouncements.contains(step) }
    } finally world.place.remove()
  }
}
