// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}

/** The user's policy in a batch job: rows may close a part early, and the end of a task closes the rest. */
final case class JobPolicy(asked: RollingPolicy) extends AskingPolicy(asked) {
  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(RollReason.End)
}
