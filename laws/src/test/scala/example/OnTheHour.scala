// SPDX-License-Identifier: Apache-2.0
package example

import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** Closes each part at the next full hour, or when it has a gigabyte. */
final class OnTheHour(maxBytes: Long) extends RollingPolicy {
  def this() = this(1L << 30)

  /** Before the row, so that the row of the new hour goes to a new part. */
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    onTime(part, nowMillis).orElse(tooLarge(part))

  /** Also when no row comes any more. */
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(hour(nowMillis) > hour(part.openedAtMillis))(RollReason.Custom("newHour"))

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = tooLarge(part)

  private def tooLarge(part: PartStats): Option[RollReason] =
    Option.when(part.sizeBytes > maxBytes)(RollReason.Size)

  private def hour(millis: Long): Long = Math.floorDiv(millis, 3600000L)
}
