// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.concurrent.ConcurrentLinkedDeque
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.collection.concurrent.TrieMap

/** Every schedule of a small world, but for those with more deviations than a [[Bounds]] allows.
  *
  * Without a deviation an actor goes on until it ends or waits; then one of its own process does, and then whoever was
  * interrupted last. A deviation is to let somebody else go on at a step of the storage, or where one ends or waits, or
  * to kill a process there. A schedule is the list of its deviations; each is run once, and what could have been done
  * otherwise behind its last deviation are the schedules to be run next. So none is left out, and none comes twice.
  *
  * An actor is a function of what it is answered. So what is stored, the answers of each actor since its birth, and who
  * comes next decide all that is still to come. A schedule that comes to such a state for the second time, with no more
  * deviations left than the first one had there, ends: the first one goes on, and all that could be done otherwise from
  * there is run behind it. Each step adds an answer, so no two schedules wait for each other.
  */
final class Walk(
    world: (Lane, WalkChooser) => Outcome,
    bounds: Bounds,
    reduction: Reduction = Reduction.BySeenStates
) {
  // Who is killed where another one has just been killed would not be offered.
  require(
    bounds.crashes <= 1 || reduction == Reduction.None,
    s"a reduced walk has one crash at most: $bounds"
  )

  private val seen = reduction match {
    case Reduction.BySeenStates => Some(new VisitedStates)
    case Reduction.None         => None
  }
  private val left    = new ConcurrentLinkedDeque[Vector[Deviation]]()
  private val busy    = new AtomicInteger()
  private val run     = new AtomicLong()
  private val known   = new AtomicLong()
  private val skipped = new AtomicLong()
  private val ends    = TrieMap.empty[Long, Unit]
  private val failed  = TrieMap.empty[String, Failure]

  /** Runs them all on some threads. */
  def toTheEnd(): Walked = {
    left.push(Vector.empty)
    val threads = Vector.fill(Runtime.getRuntime.availableProcessors().min(4)) {
      val thread = new Thread(() => work(new Lane))
      thread.setDaemon(true)
      thread.start()
      thread
    }
    threads.foreach(_.join())
    Walked(
      run.get,
      known.get,
      skipped.get,
      seen.fold(0L)(_.size),
      ends.keySet.toSet,
      failed.values.toVector.sortBy(_.problem)
    )
  }

  private def work(lane: Lane): Unit = {
    var isOver = false
    while (!isOver) {
      busy.incrementAndGet()
      val next = Option(left.poll())
      next.foreach { deviations =>
        if (isKnown(deviations)) skipped.incrementAndGet() else schedule(deviations, lane)
      }
      val others = busy.decrementAndGet()
      if (next.isEmpty) {
        isOver = others == 0 && left.isEmpty
        if (!isOver) Thread.onSpinWait()
      }
    }
  }

  /** A process dies, and there is nothing that has not been so without it. */
  private def isKnown(deviations: Vector[Deviation]): Boolean = seen.exists { states =>
    deviations.lastOption.flatMap(_.leadsTo).exists(states.isKnown(_, bounds.after(deviations)))
  }

  private def schedule(deviations: Vector[Deviation], lane: Lane): Unit = {
    val chooser = new WalkChooser(deviations, bounds.after(deviations), seen, reduction)
    val outcome = world(lane, chooser)
    run.incrementAndGet()
    if (chooser.isKnown) known.incrementAndGet()
    chooser.end.foreach(ends.update(_, ()))
    outcome match {
      case Outcome.Failed(_, Known, _)   => ()
      case Outcome.Failed(_, problem, _) => note(String.valueOf(problem.getMessage), deviations)
      case _: Outcome.Passed             => ()
    }
    chooser.others.reverseIterator.map(deviations :+ _).filter(bounds.allow).foreach(left.push)
  }

  private def note(problem: String, deviations: Vector[Deviation]): Unit = {
    val kind = problem.replaceAll("[0-9]+", "n")
    failed.updateWith(kind) {
      case None       => Some(Failure(problem, deviations, 1))
      case Some(same) =>
        val first = if (deviations.size < same.deviations.size) deviations else same.deviations
        Some(same.copy(deviations = first, count = same.count + 1))
    }
    ()
  }
}

/** How many deviations a schedule has at most, of each kind and in all. */
final case class Bounds(preemptions: Int, crashes: Int, deviations: Int) {
  override def toString: String = s"up to $preemptions pre-emptions and $crashes crashes, $deviations in all"

  /** What is left of them behind these. */
  def after(schedule: Vector[Deviation]): Bounds = {
    val crashed = schedule.count(_.act == Act.Kill)
    Bounds(preemptions - (schedule.size - crashed), crashes - crashed, deviations - schedule.size)
  }

  def allow(schedule: Vector[Deviation]): Boolean = {
    val (crashed, preempted) = schedule.partition(_.act == Act.Kill)
    schedule.size <= deviations && preempted.size <= preemptions && crashed.size <= crashes
  }
}

object Bounds {
  val none: Bounds = Bounds(0, 0, 0)
}

/** Which schedules a walk may end before their end. */
sealed trait Reduction extends Product with Serializable
object Reduction {

  /** None. */
  case object None extends Reduction

  /** Those that come to a state from which another one goes on, with as many deviations left; and those that begin where
    * somebody is about to take a step on what nobody else knows of.
    */
  case object BySeenStates extends Reduction
}

/** At this decision, counted from the start, not what is usual but this.
  *
  * @param leadsTo the state that it leads to, where that is known without going there
  */
final case class Deviation(decision: Int, act: Act, which: Int, leadsTo: Option[Long] = None)

sealed trait Act extends Product with Serializable
object Act {

  /** Somebody else goes on. */
  case object GoOn extends Act

  /** A process dies. */
  case object Kill extends Act
}

/** How a walk ended.
  *
  * @param known    the schedules that ended in a state that was known
  * @param skipped  those that were not begun, as they lead to one
  * @param states   those that were seen
  * @param ends     what there was where all had ended
  * @param failures one for each kind, with the shortest way to it
  */
final case class Walked(
    schedules: Long,
    known: Long,
    skipped: Long,
    states: Long,
    ends: Set[Long],
    failures: Vector[Failure]
)

final case class Failure(problem: String, deviations: Vector[Deviation], count: Long)
