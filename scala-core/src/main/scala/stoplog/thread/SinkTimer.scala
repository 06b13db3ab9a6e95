// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{ExecutorService, Executors, ScheduledExecutorService, TimeUnit}

/** Repeats the work of a sink between its epochs. The work may block on a hanging storage, so each timer uses
  * a separate thread while working. Then only the sinks of this storage wait. A single scheduler thread of
  * the JVM starts the work and never blocks. Each timer works in one thread at a time.
  */
private[stoplog] final class SinkTimer private (
    intervalMillis: Long,
    limit: SinkTimer.Limit,
    threads: SinkTimer.Threads,
    action: () => SinkTimer.Next
) {
  import SinkTimer.Again

  @volatile private var isCancelled = false

  /** Prevents further runs. A run that has already started continues. */
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

  /** Whether the timer repeats the work. */
  sealed trait Next
  case object Again extends Next
  case object Stop  extends Next

  /** The expected maximum duration of the work.
    *
    * @param onExceeded called once if the work takes longer; the work continues
    */
  final case class Limit(millis: Long, onExceeded: () => Unit)

  object Limit {

    /** For work without supervision. */
    val none: Limit = Limit(TimeUnit.HOURS.toMillis(1), () => ())
  }

  /** Starts the first run after the interval, and each further run an interval after the preceding run's end.
    */
  def every(intervalMillis: Long, limit: Limit = Limit.none)(action: => Next): SinkTimer =
    on(ofThisJvm, intervalMillis, limit)(action)

  private[thread] def on(threads: Threads, intervalMillis: Long, limit: Limit)(action: => Next): SinkTimer = {
    val timer = new SinkTimer(intervalMillis, limit, threads, () => action)
    timer.start()
    timer
  }

  /** The threads of timers. */
  private[thread] trait Threads {

    /** Runs the action later, in a thread that may block. */
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
