// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

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
