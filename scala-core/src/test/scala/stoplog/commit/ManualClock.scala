// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.thread.Clock

/** A clock that stands still until it is moved. */
final class ManualClock(start: Long) extends Clock {
  @volatile private var now     = start
  @volatile private var elapsed = 0L

  override def millis(): Long        = now
  override def elapsedMillis(): Long = elapsed

  /** Time passes. */
  def advance(byMillis: Long): Unit = {
    now += byMillis
    elapsed += byMillis
  }

  /** The clock is set, forwards or backwards. */
  def step(byMillis: Long): Unit = now += byMillis
}
