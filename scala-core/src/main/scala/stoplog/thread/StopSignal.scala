// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{Callable, ExecutionException, Future, FutureTask, TimeUnit, TimeoutException}

import scala.annotation.tailrec

/** Reports that the result of some work is no longer needed: the query or the task was stopped.
  *
  * Decided work runs in threads that no interrupt reaches (see [[Uninterrupted]]). Therefore such work MUST
  * wait only through this trait: a wait ends within [[StopSignal.LookMillis]] after the stop.
  */
private[stoplog] trait StopSignal {

  /** Returns true after the stop, forever. */
  def isStopped: Boolean

  /** Sleeps. Throws `InterruptedException` after the stop. */
  def pause(millis: Long): Unit = waitUntil(millis) { left => Thread.sleep(left); false }

  /** Returns the result of the future.
    *
    * Errors: the exception of the future's action; `TimeoutException` after `millis` milliseconds;
    * `InterruptedException` after the stop. The action continues after a timeout and after the stop.
    */
  final def await[A](future: Future[A], millis: Long): A = {
    val ended = future.isDone || waitUntil(millis) { left =>
      try { future.get(left, TimeUnit.MILLISECONDS); true }
      catch {
        case _: TimeoutException   => false
        case _: ExecutionException => true
      }
    }
    if (!ended) throw new TimeoutException(s"no result within $millis ms")
    try future.get()
    catch { case e: ExecutionException => throw e.getCause }
  }

  /** Waits in short slices.
    *
    * @param wait waits for the given milliseconds, and returns whether the wait is over
    * @return whether the wait was over before the time had passed. Throws `InterruptedException` after the
    *         stop
    */
  @tailrec
  final def waitUntil(millis: Long)(wait: Long => Boolean): Boolean =
    if (isStopped) throw new InterruptedException("stopped while waiting")
    else {
      val begun = System.nanoTime()
      if (wait(millis.min(StopSignal.LookMillis))) true
      else {
        val left = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun).max(1)
        if (left <= 0) false else waitUntil(left)(wait)
      }
    }
}

private[stoplog] object StopSignal {

  /** The longest time in milliseconds between two looks at the signal. */
  final val LookMillis = 100L

  /** The signal of work that is never stopped. */
  val never: StopSignal = new StopSignal {
    override def isStopped: Boolean = false
  }

  private val current = new ThreadLocal[StopSignal] {
    override def initialValue(): StopSignal = never
  }

  /** Returns the signal of the work in this thread. */
  def ofThisThread: StopSignal = current.get

  /** Runs the work with this signal as the signal of the thread. */
  def during[A](signal: StopSignal)(work: => A): A = {
    val before = current.get
    current.set(signal)
    try work
    finally current.set(before)
  }

  /** Returns a signal that follows the other signal after a delay, which lets requests in flight end.
    *
    * @param elapsedMillis returns a monotonic time
    */
  def delayed(other: StopSignal, millis: Long, elapsedMillis: () => Long): StopSignal = new StopSignal {
    private var since = Option.empty[Long]

    override def isStopped: Boolean = synchronized {
      if (since.isEmpty && other.isStopped) since = Some(elapsedMillis())
      since.exists(elapsedMillis() - _ >= millis)
    }
  }

  /** Runs work that waits by its own means, such as a client's blocking call. After the stop, the work is
    * interrupted, and its outcome is unknown.
    *
    * Error: `InterruptedException` after the stop.
    */
  def interrupting[A](signal: StopSignal)(work: => A): A =
    if (signal eq never) work
    else {
      val running = new FutureTask[A]((() => during(signal)(work)): Callable[A])
      Daemons.named("stoplog-stoppable").newThread(running).start()
      try signal.await(running, Long.MaxValue)
      catch {
        case e: InterruptedException =>
          running.cancel(true)
          throw e
      }
    }
}
