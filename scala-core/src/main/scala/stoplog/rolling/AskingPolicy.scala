// SPDX-License-Identifier: Apache-2.0
package stoplog.rolling

/** The user's policy where it does not decide alone: every question goes on to it, but those that the subclass answers. */
private[stoplog] abstract class AskingPolicy(asked: RollingPolicy) extends RollingPolicy {
  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.beforeRow(part, nowMillis)

  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    asked.onEventTime(part, eventTimeMillis)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] = asked.onTime(part, nowMillis)

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    asked.onEpochEnd(part, nowMillis)
}
