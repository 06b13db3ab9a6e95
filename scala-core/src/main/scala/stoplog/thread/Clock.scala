// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.TimeUnit

/** The time, as an argument: no test of this library sleeps. */
private[stoplog] trait Clock extends Serializable {

  /** Milliseconds since 1970-01-01T00:00:00Z. The clock may be set, forwards and backwards. */
  def millis(): Long

  /** Milliseconds since some moment of this process. Never goes back. For intervals within one process. */
  def elapsedMillis(): Long
}

private[stoplog] object Clock {
  val system: Clock = new Clock {
    override def millis(): Long        = System.currentTimeMillis()
    override def elapsedMillis(): Long = TimeUnit.NANOSECONDS.toMillis(System.nanoTime())
  }
}

/** Measures the time since it was made. */
private[stoplog] final class Stopwatch(clock: Clock) {
  private val startedMillis = clock.millis()
  private val started       = clock.elapsedMillis()

  /** The time that has passed for this process. A step of the clock does not change it. */
  def millis: Long = clock.elapsedMillis() - started

  /** The same with the time in which the machine was suspended, as far as the clock shows it: for a caller that must not
    * take a long time for a short one. A clock that was set back does not make it shorter.
    */
  def longestMillis: Long = millis.max(clock.millis() - startedMillis)
}
