// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** A clock that stands still until it is moved. */
final class ManualClock(start: Long) extends Clock {
  @volatile private var now = start

  override def millis(): Long = now

  def advance(byMillis: Long): Unit = now += byMillis
}
