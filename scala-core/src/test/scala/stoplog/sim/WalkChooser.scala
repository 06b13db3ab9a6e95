// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.IndexedSeq
import scala.collection.mutable.ArrayBuffer

/** Follows the deviations of one schedule, and keeps account of what could be done otherwise behind the last of them.
  *
  * @param left how many deviations there may be behind those
  * @param seen the states that need not be gone on from, where there are any
  */
final class WalkChooser(
    deviations: Vector[Deviation],
    left: Bounds = Bounds.none,
    seen: Option[VisitedStates] = None,
    reduction: Reduction = Reduction.BySeenStates
) extends Chooser {
  import WalkChooser._

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
    if (isNew(Step)) planned(Act.Kill) match {
      case Some(deviation) =>
        val killed = mortal()(deviation.which)
        world.foreach(_.scheduler.kill(killed))
        if (world.forall(_.scheduler.current.process ne killed)) register(Step)
      case None => if (decision > last && left.crashes > 0 && left.deviations > 0) noteKills()
    }
  }

  override def next(ready: IndexedSeq[Actor], running: Actor, goesOn: () => Boolean): Actor = {
    val goesOnNow = goesOn()
    val usual     = if (goesOnNow) running else usualAfter(ready, running)
    val who       =
      if (!following || (usual.eq(running) && !touches)) usual
      else {
        decision += 1
        if (goesOnNow || isNew(End)) {
          val others = ready.filterNot(actor => (actor eq usual) || actor.name == Simulation.Main)
          note(Act.GoOn, others.size)
          planned(Act.GoOn).fold(usual)(deviation => others(deviation.which))
        } else usual
      }
    lastRun -= who
    lastRun += who
    who
  }

  override def stopsAtOwn: Boolean = reduction == Reduction.None

  private def touches: Boolean = world.exists(_.touchesStorage)

  private def usualAfter(ready: IndexedSeq[Actor], running: Actor): Actor =
    ready.find(_.process eq running.process).getOrElse {
      ready.maxBy(actor => lastRun.indexOf(actor) * 1000 - ready.indexOf(actor))
    }

  private def planned(act: Act): Option[Deviation] =
    deviations.find(deviation => deviation.decision == decision && deviation.act == act)

  private def note(act: Act, count: Int): Unit =
    if (decision > last) (0 until count).foreach(n => found += Deviation(decision, act, n))

  /** With the state that each leads to. */
  private def noteKills(): Unit = mortal().zipWithIndex.foreach { case (process, n) =>
    val after = for {
      there <- world if seen.nonEmpty
    } yield {
      process.alive = false
      try state(there, if (there.scheduler.current.process eq process) End else Step)
      finally process.alive = true
    }
    found += Deviation(decision, Act.Kill, n, after)
  }

  /** Otherwise the schedule ends here: whoever came to this state first goes on from it. */
  private def isNew(where: String): Boolean = decision <= last || register(where)

  private def register(where: String): Boolean = seen.forall { states =>
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
    val living  = there.scheduler.living.filter(_.process.alive).toVector
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
        if (where == Step) running.birth else running.process.name -> running.process.alive,
        mortal().map(_.name)
      )
    )
  }

  private def isMain(actor: Actor): Boolean = actor.name == Simulation.Main
}

private object WalkChooser {

  /** Somebody is about to take a step, or has ended or waits. */
  val Step: String = "step"
  val End: String  = "end"
}
