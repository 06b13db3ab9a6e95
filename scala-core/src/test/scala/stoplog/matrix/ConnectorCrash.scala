// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

import stoplog.fault.Step

/** One cell of a connector's matrix: a process of a query is stopped at one point, and its successors do the rest.
  *
  * @param again    where the first successor is killed in its turn, if it gets there
  * @param holding  whether the process keeps its successors waiting as long as it is there
  * @param expected how it has to come out
  */
final case class ConnectorCrash(
    newWorld: () => ConnectorWorld,
    at: CrashPoint.At,
    fate: CrashMode,
    again: Option[CrashPoint.At],
    holding: Boolean,
    expected: String
) {
  import ConnectorCrash._

  /** Whether the step was reached, and what was wrong afterwards. */
  def verdict(): Verdict = {
    val world = newWorld()
    val dooms = (new CrashPoint(Some(at)), new CrashPoint(again))
    val query = new Course(world, dooms._1, dooms._2)
    try query.run()
    finally {
      dooms._1.bury()
      dooms._2.bury()
      query.join()
      world.close()
    }
  }

  override def toString: String =
    s"${at.step.name} ${at.occurrence}, ${fate.name}${again.fold("")(_ => " twice")}"

  private final class Course(world: ConnectorWorld, doom: CrashPoint, heirsDoom: CrashPoint) {
    private var lives = Vector.empty[ProcessRun]

    def run(): Verdict = {
      val victim = new ProcessRun(world, doom, from = 0, Epochs).awaited()
      if (!doom.struck) Verdict(struck = false, problemsOf("the run", victim))
      else Verdict(struck = true, if (fate == CrashMode.Woken) wake(victim) else succeed(victim))
    }

    def join(): Unit = lives.foreach(_.join())

    private def succeed(victim: ProcessRun): Vector[String] = {
      world.processesDied()
      val seen = world.surplus()
      val heir = live(heirsDoom, victim.reached)
      val last =
        if (!heirsDoom.struck) heir
        else {
          world.processesDied()
          live(new CrashPoint(None), heir.reached)
        }
      seen ++ problemsOf("the successor", last) ++ outcome(Epochs)
    }

    /** It may find out that it was overtaken, but not harm anybody. */
    private def wake(victim: ProcessRun): Vector[String] = {
      val heir   = track(new ProcessRun(world, heirsDoom, victim.reached, Epochs))
      val before =
        if (holding) Vector.empty else problemsOf("the successor", heir.awaited()) ++ world.problems(Epochs)
      if (holding) victim.wakeForThisEpoch() else victim.wake()
      heir.join()
      val unnamed = victim.failure.filterNot(_.isInstanceOf[SparkThrowable]).map(e => s"it woke to $e")
      val after   = live(new CrashPoint(None), Epochs, Epochs + 1)
      before ++ problemsOf("the successor", heir) ++ unnamed ++ problemsOf("the process after that", after) ++
        outcome(Epochs + 1).map(_ + " after waking")
    }

    private def live(doom: CrashPoint, from: Long, until: Long = Epochs): ProcessRun =
      track(new ProcessRun(world, doom, from, until)).awaited()

    private def track(life: ProcessRun): ProcessRun = {
      lives :+= life
      life
    }

    private def outcome(epochs: Long): Vector[String] =
      world.problems(epochs) ++
        Option.when(world.result != expected)(s"it came out as '${world.result}', not as '$expected'")
  }
}

object ConnectorCrash {
  val Epochs = 3L

  /** How often an undisturbed query passes each step; fails unless all of its rows arrive. */
  def occurrences(newWorld: () => ConnectorWorld): Map[Step, Int] = {
    val world = newWorld()
    try {
      val doom = new CrashPoint(None)
      val life = new ProcessRun(world, doom, from = 0, Epochs).awaited()
      life.failure.foreach(e => throw new AssertionError("an undisturbed query failed", e))
      val problems = world.surplus() ++ world.problems(Epochs)
      require(problems.isEmpty, problems.mkString("; "))
      doom.occurrences
    } finally world.close()
  }

  private def problemsOf(who: String, life: ProcessRun): Vector[String] =
    life.failure.map(e => s"$who failed: $e").toVector

  /** One process, from what the engine knows to be committed. */
  private final class ProcessRun(world: ConnectorWorld, doom: CrashPoint, from: Long, planned: Long) {
    @volatile private var next  = from
    @volatile private var until = planned

    private val mortal = CrashableThread.begin(doom) {
      val process = world.process(doom)
      while (next < until) {
        process.epoch(next)
        next += 1
      }
      process.end()
    }

    def awaited(): ProcessRun = {
      mortal.awaitDoomOrEnd()
      this
    }

    /** The epoch that the engine begins with at the next start. */
    def reached: Long = next

    def failure: Option[Throwable] = mortal.failure

    def join(): Unit = mortal.join()

    def wake(): Unit = mortal.wake()

    /** To the end of the epoch that it is in: what a successor waits for is not to run away from it. */
    def wakeForThisEpoch(): Unit = {
      until = next + 1
      mortal.wake()
    }
  }
}
