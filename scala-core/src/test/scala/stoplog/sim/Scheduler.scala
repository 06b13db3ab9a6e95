// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.concurrent.Semaphore

import scala.collection.mutable.ArrayBuffer

/** Runs actors one step at a time, and asks who takes the next one.
  *
  * Every actor has a thread, but only the one that holds the baton runs: the others are parked inside [[pause]]. So
  * the code under test blocks, throws and unwinds as it always does, and still every interleaving replays.
  *
  * @param chooser who says which of those that can go on does
  */
final class Scheduler(chooser: Chooser, lane: Lane) {
  private val actors                    = ArrayBuffer.empty[Actor]
  private val over                      = new Semaphore(0)
  private val ready                     = ArrayBuffer.empty[Actor]
  private var running: Actor            = new Actor("nobody", new SimProcess("nowhere"), () => ())
  private var stepsTaken                = 0L
  private var failed: Option[Throwable] = None
  private var interfere: () => Unit     = () => ()
  private var stepLimit                 = Scheduler.StepLimit

  def current: Actor = running

  def steps: Long = stepsTaken

  def living: Iterator[Actor] = actors.iterator.filterNot(_.dead)

  /** What may happen at every step, besides the step itself. */
  def onStep(action: () => Unit): Unit = interfere = action

  /** Runs `main` and all that it spawns to the end; throws what ended it before. */
  def run(name: String)(main: => Unit): Unit = {
    val first = spawn(name, new SimProcess(name))(main)
    running = first
    lane.resume(first)
    over.acquireUninterruptibly()
    failed.foreach(throw _)
  }

  def spawn(name: String, process: SimProcess)(body: => Unit): Actor = {
    val actor: Actor = new Actor(name, process, () => body)
    actor.onThread = () => live(actor)
    running.children += 1
    actor.birth = s"${running.birth}.${running.children}"
    actors += actor
    actor
  }

  /** A step: anybody may run now, and the actor may find itself dead when its turn comes again. */
  def pause(): Unit = {
    val me = running
    if (me.dead) throw Crash
    stepsTaken += 1
    if (stepsTaken > stepLimit) throw new Violation(s"no end after $stepsTaken steps")
    interfere()
    passTo(me)
  }

  /** Waits for a condition that other actors bring about; nobody runs between its being true and the return. */
  def awaitUntil(condition: () => Boolean): Unit = {
    val me = running
    if (me.dead) throw Crash
    me.waitsFor = condition
    passTo(me)
    me.waitsFor = Scheduler.nothing
    me.learns(Scheduler.Waited)
  }

  /** Waits until nobody else can go on: all others have ended, sleep, or wait for a sleeper. */
  def awaitQuiet(): Unit = {
    val me = running
    awaitUntil(() => !actors.exists(actor => (actor ne me) && isReady(actor)))
  }

  def sleep(actor: Actor, untilStep: Long): Unit = actor.wakesAt = untilStep

  /** Wakes those who sleep for fewer steps than that. */
  def wake(sleepingLessThan: Long): Unit =
    actors.foreach(actor => if (actor.wakesAt < sleepingLessThan) actor.wakesAt = 0L)

  def isAsleep(actor: Actor): Boolean = actor.wakesAt > stepsTaken

  /** The process is gone: its actors unwind before anybody else runs, and nothing that they do counts. */
  def kill(process: SimProcess): Unit = {
    process.alive = false
    actors.foreach(actor => if (actor.process eq process) actor.dead = true)
    actors --= actors.filter(actor => actor.dead && !actor.started)
    ()
  }

  /** Nothing goes on: all that is still to come is known. */
  def stop(): Unit = fail(Known)

  private def live(actor: Actor): Unit = {
    try if (!actor.dead) actor.body()
    catch {
      case Crash        => ()
      case e: Throwable => fail(e)
    }
    actors -= actor
    actor.done = true
    lane.release(actor)
    val next = if (actors.isEmpty) None else Some(pick())
    next match {
      case None        => over.release()
      case Some(other) =>
        running = other
        lane.resume(other)
    }
  }

  private def passTo(me: Actor): Unit = {
    val next = pick()
    if (next ne me) {
      running = next
      lane.resume(next)
      me.park()
    }
    if (me.dead) throw Crash
  }

  @scala.annotation.tailrec
  private def pick(): Actor = {
    val unwinding = actors.indexWhere(_.dead)
    if (unwinding >= 0) actors(unwinding)
    else {
      ready.clear()
      actors.foreach(actor => if (isReady(actor)) ready += actor)
      if (ready.isEmpty) {
        if (!wakeOne()) fail(new Violation(s"nobody can go on: ${actors.map(_.name).mkString(", ")}"))
        pick()
      } else {
        val next = chooser.next(ready, running, () => !running.done && isReady(running))
        if (failed.isEmpty) next else pick()
      }
    }
  }

  private def isReady(actor: Actor): Boolean = !isAsleep(actor) && actor.waitsFor()

  private def wakeOne(): Boolean = actors.filter(isAsleep) match {
    case sleepers if sleepers.isEmpty => false
    case sleepers                     => sleepers.minBy(_.wakesAt).wakesAt = 0L; true
  }

  private def fail(e: Throwable): Unit = {
    if (failed.isEmpty) failed = Some(e)
    stepLimit = Long.MaxValue
    actors.map(_.process).toSet.foreach(kill)
  }
}

object Scheduler {
  private val StepLimit = 200000L

  private val Waited = 12L

  private[sim] val nothing: () => Boolean = () => true
}

/** What ends a schedule of which the rest is known. */
object Known extends VirtualMachineError("this state is known") {
  override def fillInStackTrace(): Throwable = this
}

/** What a thread of a dead process gets thrown. An error of the machine, so that no handler takes it for a failure. */
object Crash extends VirtualMachineError("the process is dead") {
  override def fillInStackTrace(): Throwable = this
}

/** The oracle's verdict. Not to be caught by the code under test either. */
final class Violation(message: String) extends VirtualMachineError(message)

/** An operating-system process: what dies together. */
final class SimProcess(val name: String) {
  var alive: Boolean = true

  /** What its threads tell each other. */
  private[sim] val memory: ArrayBuffer[() => Any] = ArrayBuffer.empty

  /** Threads see this of each other, each as it is when it looks. */
  def shares(what: => Any): Unit = {
    memory += (() => what)
    ()
  }
}
