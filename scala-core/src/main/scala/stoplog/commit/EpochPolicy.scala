// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** The user's policy where no part can stay open at the end of an epoch. */
final case class EpochPolicy(asked: RollingPolicy) extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.beforeRow(part, nowMillis)
  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    asked.onEventTime(part, eventTimeMillis)
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] = asked.onTime(part, nowMillis)
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.onEpochEnd(part, nowMillis).orElse(Some(RollReason.Checkpoint))
}
