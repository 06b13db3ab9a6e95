// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.apache.spark.SparkThrowable

/** A process of a query is killed at one point. The checkpoint is restored from a copy made before the epoch that the
  * process was in, and the next process plans that epoch anew, with other rows. It must write all of them over nothing of
  * the former plan, or be refused by name.
  */
final case class ConnectorReplan(newWorld: () => ConnectorWorld, at: CrashPoint.At) {

  /** Whether the step was reached, and what was wrong afterwards. */
  def verdict(): Verdict = {
    val world  = newWorld()
    val doom   = new CrashPoint(Some(at))
    val victim = new Victim(world, doom)
    try
      if (!victim.struck()) Verdict(struck = false, Vector.empty)
      else {
        world.processesDied()
        val restored = world
          .restored(victim.epoch)
          .getOrElse(throw new AssertionError("nothing outside of the checkpoint remembers epochs"))
        Verdict(struck = true, ConnectorReplan.problems(restored))
      }
    finally {
      doom.bury()
      victim.join()
      world.close()
    }
  }

  override def toString: String = s"${at.step.name} ${at.occurrence}, and the epoch planned anew"

  private final class Victim(world: ConnectorWorld, doom: CrashPoint) {
    @volatile private var next = 0L

    private val mortal = CrashableThread.begin(doom) {
      val process = world.process(doom)
      while (next < ConnectorCrash.Epochs) {
        process.epoch(next)
        next += 1
      }
      process.end()
    }

    def struck(): Boolean = {
      mortal.awaitDoomOrEnd()
      doom.struck
    }

    /** The epoch that the process was in, or its last one. */
    def epoch: Long = next.min(ConnectorCrash.Epochs - 1)

    def join(): Unit = mortal.join()
  }
}

object ConnectorReplan {
  private def problems(restored: ConnectorWorld.Restored): Vector[String] =
    try {
      restored.write()
      restored.problems(ConnectorRows.Anew.Written)
    } catch {
      case refused: SparkThrowable if refused.getCondition != null =>
        restored.problems(ConnectorRows.Anew.Refused)
    }
}
