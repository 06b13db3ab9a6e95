// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.concurrent.CountDownLatch

import scala.collection.concurrent.TrieMap

import stoplog.fault.{Faults, Step}

/** Stops a run in its tracks at one occurrence of one step.
  *
  * The thread does not throw, so nothing on its way out can tidy up: it waits, as a process that was stopped or
  * killed writes no more. Only that thread stops.
  */
final class CrashPoint(at: Option[CrashPoint.At]) extends Faults {
  private val seen    = TrieMap.empty[Step, Int]
  private val reached = new CountDownLatch(1)
  private val fate    = new CountDownLatch(1)

  @volatile private var buried = false

  override def at(step: Step): Unit = {
    val occurrence = synchronized {
      seen.update(step, seen.getOrElse(step, 0) + 1)
      seen(step)
    }
    if (at.contains(CrashPoint.At(step, occurrence))) {
      reached.countDown()
      fate.await()
      if (buried) throw new CrashPoint.Buried
    }
  }

  /** How often each step was passed so far. */
  def occurrences: Map[Step, Int] = seen.toMap

  def struck: Boolean = reached.getCount == 0

  /** Waits until the run has met its doom, or has ended without. */
  def awaitStruckOrEnd(run: Thread): Unit = while (!struck && run.isAlive) run.join(1)

  /** Lets the run go on where it stopped, as a process does that was only asleep. */
  def wake(): Unit = fate.countDown()

  /** Ends the thread of a run whose directory is gone. */
  def bury(): Unit = {
    buried = true
    fate.countDown()
  }
}

object CrashPoint {
  final case class At(step: Step, occurrence: Int)

  /** Of the kind that no handler of ordinary failures catches. */
  final class Buried extends VirtualMachineError
}
