// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.IndexedSeq
import scala.collection.mutable.ArrayBuffer

/** Follows the deviations of one schedule, and keeps account of what could be done otherwise behind the last of them. */
final class WalkChooser(deviations: Vector[Deviation]) extends Chooser {
  private val lastRun   = ArrayBuffer.empty[Actor]
  private val found     = ArrayBuffer.empty[Deviation]
  private val last      = deviations.lastOption.fold(-1)(_.decision)
  private var decision  = -1
  private var following = true
  private var touches   = () => false
  private var mortal    = () => Vector.empty[SimProcess]
  private var kill      = (_: SimProcess) => ()

  /** @param touchesStorage whether the step that is about to be taken does
    * @param processes      those that may die now
    */
  def watch(touchesStorage: () => Boolean, processes: () => Vector[SimProcess])(
      die: SimProcess => Unit
  ): Unit = {
    touches = touchesStorage
    mortal = processes
    kill = die
  }

  /** From here on everything is as usual. */
  def rest(): Unit = following = false

  /** What could have been done behind the last deviation. */
  def others: Seq[Deviation] = found.toSeq

  /** Before a step: a process may die. */
  def mayDie(): Unit = if (following && touches()) {
    decision += 1
    val processes = mortal()
    planned(Act.Kill).foreach(deviation => kill(processes(deviation.which)))
    note(Act.Kill, processes.size)
  }

  override def next(ready: IndexedSeq[Actor], running: Actor, goesOn: () => Boolean): Actor = {
    val usual = if (goesOn()) running else usualAfter(ready, running)
    val who   =
      if (!following || (usual.eq(running) && !touches())) usual
      else {
        decision += 1
        val others = ready.filterNot(actor => (actor eq usual) || actor.name == Simulation.Main)
        note(Act.GoOn, others.size)
        planned(Act.GoOn).fold(usual)(deviation => others(deviation.which))
      }
    lastRun -= who
    lastRun += who
    who
  }

  private def usualAfter(ready: IndexedSeq[Actor], running: Actor): Actor =
    ready.find(_.process eq running.process).getOrElse {
      ready.maxBy(actor => lastRun.indexOf(actor) * 1000 - ready.indexOf(actor))
    }

  private def planned(act: Act): Option[Deviation] =
    deviations.find(deviation => deviation.decision == decision && deviation.act == act)

  private def note(act: Act, count: Int): Unit =
    if (decision > last) (0 until count).foreach(n => found += Deviation(decision, act, n))
}
