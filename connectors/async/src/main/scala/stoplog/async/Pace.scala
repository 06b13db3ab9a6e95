// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.collection.mutable

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
