// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.IndexedSeq
import scala.collection.mutable.ArrayBuffer

/** Follows the deviations of one schedule, and keeps account of what could be done otherwise behind the last of them.
  *
  * @param left how many deviations there may be behind those
  * @param seen the states that need not be gone on from, where there are any
  */
final class WalkChooser(deviations: Vector[Deviation], left: Bounds = Bounds.none, seen: Option[Seen] = None)
    extends Chooser {
  private val lastRun   = ArrayBuffer.empty[Actor]
  private val found     = ArrayBuffer.empty[Deviation]
  private val last      = deviations.lastOption.fold(-1)(_.decision)
  private var decision  = -1
  private var following = true
  private var known     = false
  private var world     = Option.empty[World]
  private var mortal    = () => Vector.empty[SimProcess]
  private var quiet     = Option.empty[Long]

  /** @param processes those that may die now */
  def watch(watched: World, processes: () => Vector[SimProcess]): Unit = {
    world = Some(watched)
    mortal = processes
    watched.scheduler.onStep(() => mayDie())
  }

  /** From here on everything is as usual. */
  def rest(): Unit = {
    following = false
    quiet = world.map(_.fingerprint)
  }

  /** What could have been done behind the last deviation. */
  def others: Seq[Deviation] = found.toSeq

  /** Whether the schedule has ended in a state from which another one has gone on, or does. */
  def isKnown: Boolean = known

  /** What there was when all had ended. */
  def end: Option[Long] = quiet

  /** Before a step: a process may die. */
  private def mayDie(): Unit = if (following && touches) {
    decision += 1
    if (isNew("step")) {
      val processes = mortal()
      planned(Act.Kill).foreach(deviation => world.foreach(_.scheduler.kill(processes(deviation.which))))
      note(Act.Kill, processes.size)
    }
  }

  override def next(ready: IndexedSeq[Actor], running: Actor, goesOn: () => Boolean): Actor = {
    val goesOnNow = goesOn()
    val usual     = if (goesOnNow) running else usualAfter(ready, running)
    val who       =
      if (!following || (usual.eq(running) && !touches)) usual
      else {
        decision += 1
        if (goesOnNow || isNew("end")) {
          val others = ready.filterNot(actor => (actor eq usual) || actor.name == Simulation.Main)
          note(Act.GoOn, others.size)
          planned(Act.GoOn).fold(usual)(deviation => others(deviation.which))
        } else usual
      }
    lastRun -= who
    lastRun += who
    who
  }

  private def touches: Boolean = world.exists(_.touchesStorage)

  private def usualAfter(ready: IndexedSeq[Actor], running: Actor): Actor =
    ready.find(_.process eq running.process).getOrElse {
      ready.maxBy(actor => lastRun.indexOf(actor) * 1000 - ready.indexOf(actor))
    }

  private def planned(act: Act): Option[Deviation] =
    deviations.find(deviation => deviation.decision == decision && deviation.act == act)

  private def note(act: Act, count: Int): Unit =
    if (decision > last) (0 until count).foreach(n => found += Deviation(decision, act, n))

  /** Otherwise the schedule ends here: whoever came to this state first goes on from it. */
  private def isNew(where: String): Boolean = decision <= last || seen.forall { states =>
    val isNew = world.forall(there => states.isNew(state(there, where), left))
    if (!isNew) {
      known = true
      following = false
      world.foreach(_.scheduler.stop())
    }
    isNew
  }

  /** All that the rest of a schedule hangs on: what is stored, where each actor is and what it knows, and who comes next. */
  private def state(there: World, where: String): Long = {
    val living  = there.scheduler.living.toVector
    val running = there.scheduler.current
    val actors  = living.map(actor => (actor.birth, actor.started, if (isMain(actor)) 0L else actor.knows))
    val shared  = living.map(_.process).distinct.map(process => (process.name, process.memory.map(_.apply())))
    val order   = lastRun.filter(actor => !isMain(actor) && living.contains(actor)).map(_.birth)
    Fingerprint.of(
      Vector[Any](
        where,
        there.fingerprint,
        actors,
        shared,
        order,
        (running.birth, running.process.name, running.done),
        mortal().map(_.name)
      )
    )
  }

  private def isMain(actor: Actor): Boolean = actor.name == Simulation.Main
}
