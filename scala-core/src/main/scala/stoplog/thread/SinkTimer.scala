// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{ExecutorService, Executors, ScheduledExecutorService, TimeUnit}

/** Repeats the work of a sink between its epochs. The work may wait for a storage that hangs, so each timer has a thread of
  * its own while it works: only the sinks of that storage wait. One thread of the JVM, which never works, starts the
  * others. A timer works on one thread at a time.
  */
private[stoplog] final class SinkTimer private (
    intervalMillis: Long,
    limit: SinkTimer.Limit,
    threads: SinkTimer.Threads,
    action: () => SinkTimer.Next
) {
  import SinkTimer.Again

  @volatile private var isCancelled = false

  /** The work does not start again. Work that has started goes on. */
  def cancel(): Unit = isCancelled = true

  private def start(): Unit = threads.after(intervalMillis)(if (!isCancelled) work())

  private def work(): Unit = {
    @volatile var isDone = false
    threads.after(limit.millis)(if (!isDone) limit.onExceeded())
    val next =
      try action()
      finally isDone = true
    if (next == Again) start()
  }
}

private[stoplog] object SinkTimer {

  /** Whether to work again. */
  sealed trait Next
  case object Again extends Next
  case object Stop  extends Next

  /** A time in which the work usually ends.
    *
    * @param onExceeded called once for work that takes longer, and goes on
    */
  final case class Limit(millis: Long, onExceeded: () => Unit)

  object Limit {

    /** For work that need not be watched. */
    val none: Limit = Limit(TimeUnit.HOURS.toMillis(1), () => ())
  }

  /** Works for the first time after the interval, and then each time that long after the end of the work before. */
  def every(intervalMillis: Long, limit: Limit = Limit.none)(action: => Next): SinkTimer =
    on(ofThisJvm, intervalMillis, limit)(action)

  private[thread] def on(threads: Threads, intervalMillis: Long, limit: Limit)(action: => Next): SinkTimer = {
    val timer = new SinkTimer(intervalMillis, limit, threads, () => action)
    timer.start()
    timer
  }

  /** The threads of timers. */
  private[thread] trait Threads {

    /** Runs the action later, on a thread that may wait. */
    def after(millis: Long)(action: => Unit): Unit
  }

  private lazy val ofThisJvm: Threads = new Threads {
    private val clock: ScheduledExecutorService =
      Executors.newSingleThreadScheduledExecutor(Daemons.named("stoplog-clock"))
    private val workers: ExecutorService = Executors.newCachedThreadPool(Daemons.named("stoplog-timer"))

    override def after(millis: Long)(action: => Unit): Unit = {
      clock.schedule((() => workers.execute(() => action)): Runnable, millis, TimeUnit.MILLISECONDS)
      ()
    }
  }
}
