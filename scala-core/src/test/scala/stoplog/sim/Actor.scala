// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.concurrent.locks.LockSupport

/** A thread of a simulated process. Its fields are touched by whoever holds the baton. */
final class Actor(val name: String, val process: SimProcess, val body: () => Unit) {
  private[sim] var onThread: () => Unit    = () => ()
  private[sim] var waitsFor: () => Boolean = Scheduler.nothing
  private[sim] var wakesAt: Long           = 0L
  private[sim] var started: Boolean        = false
  private[sim] var dead: Boolean           = false
  private[sim] var done: Boolean           = false
  private[sim] var worker: Option[Worker]  = None

  /** Says which actor it is, whoever else was born before: the how many-eth child of whom. */
  private[sim] var birth: String = ""
  private[sim] var children: Int = 0
  private[sim] var names: Int    = 0
  private var answers: Long      = 0L

  /** All that it has been answered since its birth, which says where it is, and what it knows. */
  private[sim] def knows: Long = answers

  private[sim] def learns(answer: Long): Unit = answers = Fingerprint.mixed(answers, answer)

  @volatile private var hasBaton = false

  private[sim] def park(): Unit = {
    while (!hasBaton) LockSupport.park(this)
    hasBaton = false
  }

  private[sim] def unpark(): Unit = {
    hasBaton = true
    worker.foreach(LockSupport.unpark)
  }
}

/** Threads for the actors of one simulation after another: starting 20 threads for each would cost more than it. */
final class Lane {
  private val idle = new java.util.ArrayDeque[Worker]()

  private[sim] def resume(actor: Actor): Unit =
    if (actor.started) actor.unpark()
    else {
      actor.started = true
      val worker = Option(idle.poll()).getOrElse(new Worker())
      actor.worker = Some(worker)
      worker.give(actor.onThread)
    }

  private[sim] def release(actor: Actor): Unit = actor.worker.foreach(idle.push)
}

private[sim] final class Worker extends Thread("stoplog-sim") {
  @volatile private var work = Option.empty[() => Unit]

  setDaemon(true)
  start()

  def give(body: () => Unit): Unit = {
    work = Some(body)
    LockSupport.unpark(this)
  }

  override def run(): Unit = while (true) {
    while (work.isEmpty) LockSupport.park(this)
    val body = work
    work = None
    body.foreach(_())
  }
}
