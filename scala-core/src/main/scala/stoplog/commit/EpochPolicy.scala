// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.rolling.{AskingPolicy, PartStats, RollReason, RollingPolicy}

/** The user's policy where no part can stay open at the end of an epoch. */
final case class EpochPolicy(asked: RollingPolicy) extends AskingPolicy(asked) {
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] =
    super.onEpochEnd(part, nowMillis).orElse(Some(RollReason.Checkpoint))
}
