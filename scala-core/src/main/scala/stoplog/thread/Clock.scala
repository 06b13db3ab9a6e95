// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.TimeUnit

/** The time, passed as an argument, so that tests do not sleep. */
private[stoplog] trait Clock extends Serializable {

  /** Returns milliseconds since 1970-01-01T00:00:00Z. The clock may be adjusted forwards and backwards. */
  def millis(): Long

  /** Returns milliseconds since a fixed moment of this process. Monotonic; for intervals within a process. */
  def elapsedMillis(): Long
}

private[stoplog] object Clock {
  val system: Clock = new Clock {
    override def millis(): Long        = System.currentTimeMillis()
    override def elapsedMillis(): Long = TimeUnit.NANOSECONDS.toMillis(System.nanoTime())
  }
}

/** Measures the time since its creation. */
private[stoplog] final class Stopwatch(clock: Clock) {
  private val startedMillis = clock.millis()
  private val started       = clock.elapsedMillis()

  /** Returns the elapsed time of this process. Adjustments of the clock do not affect the result. */
  def millis: Long = clock.elapsedMillis() - started

  /** Returns the elapsed time including suspension of the machine, as far as the clock shows it. Used by
    * callers that must not underestimate a duration. A clock adjusted backwards does not shorten the result.
    */
  def longestMillis: Long = millis.max(clock.millis() - startedMillis)
}
