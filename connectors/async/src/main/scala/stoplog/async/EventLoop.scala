// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.collection.mutable

/** What a task's thread waits for: calls that ended in other threads, and timers of its own.
  *
  * All that is posted or due is run by the thread that calls [[runNext]], so that nothing needs a lock, and no thread is
  * there for timers.
  */
private[async] trait EventLoop {

  def nowNanos: Long

  /** Runs this at a later time. */
  def after(delayNanos: Long)(run: () => Unit): EventLoop.Timer

  /** Runs this as soon as possible; from any thread. */
  def post(run: () => Unit): Unit

  /** Waits for the next event and runs it. */
  def runNext(): Unit
}

private[async] object EventLoop {

  trait Timer {
    def cancel(): Unit
  }

  /** The one of a task, by the machine's clock. */
  final class OfTask extends EventLoop {

    private val posted = new LinkedBlockingQueue[() => Unit]
    private val timers = mutable.TreeMap.empty[(Long, Long), () => Unit]
    private var made   = 0L

    override def nowNanos: Long = System.nanoTime()

    override def after(delayNanos: Long)(run: () => Unit): Timer = {
      made += 1
      val key = (nowNanos + math.max(0, delayNanos), made)
      timers.put(key, run)
      () => timers.remove(key)
    }

    override def post(run: () => Unit): Unit = posted.put(run)

    override def runNext(): Unit = timers.headOption match {
      case None                => posted.take()()
      case Some((key, expiry)) =>
        // What ended before its time was over is in the queue, however late this thread comes to look.
        val ended = posted.poll(math.max(0, key._1 - nowNanos), TimeUnit.NANOSECONDS)
        if (ended != null) ended()
        else {
          timers.remove(key)
          expiry()
        }
    }
  }
}

/** A rate limit for the calls of one task: in any time T at most `(T + catch-up) / between + 1` of them.
  *
  * The first one waits like any other. So the bound holds across the tasks of one partition in successive micro-batches
  * too, although these know nothing of each other.
  */
private[async] final class Pace(betweenNanos: Long, loop: EventLoop) {

  private val waiting = mutable.Queue.empty[() => Unit]
  private var due     = loop.nowNanos + betweenNanos

  /** Runs this when the next call may be made. */
  def turn(run: () => Unit): Unit = {
    waiting.enqueue(run)
    if (waiting.size == 1) arm()
  }

  private def arm(): Unit = {
    loop.after(due - loop.nowNanos) { () =>
      due = math.max(due, loop.nowNanos - Pace.CatchUpNanos) + betweenNanos
      val next = waiting.head
      try next()
      finally {
        waiting.dequeue()
        if (waiting.nonEmpty) arm()
      }
    }
    ()
  }
}

private[async] object Pace {

  /** How far calls may be behind their time and still be made up for; else each late wake-up were lost for ever. */
  val CatchUpNanos: Long = 50000000L
}
