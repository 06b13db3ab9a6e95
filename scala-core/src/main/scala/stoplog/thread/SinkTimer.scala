// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{Executors, ScheduledExecutorService, ScheduledFuture, TimeUnit}

/** The clock's hand for idle rolling: one pair of daemon threads for all sinks of the JVM. */
private[stoplog] object SinkTimer {

  /** Whether to come again. */
  sealed trait Next
  case object Again extends Next
  case object Stop  extends Next

  def every(intervalMillis: Long)(action: => Next): ScheduledFuture[_] = {
    lazy val future: ScheduledFuture[_] = threads.scheduleWithFixedDelay(
      () => if (action == Stop) future.cancel(false),
      intervalMillis,
      intervalMillis,
      TimeUnit.MILLISECONDS
    )
    future
  }

  private lazy val threads: ScheduledExecutorService =
    Executors.newScheduledThreadPool(2, Daemons.named("stoplog-timer"))
}
