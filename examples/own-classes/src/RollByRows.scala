// SPDX-License-Identifier: Apache-2.0
package own

import java.util.{Map => JMap}

import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** Closes a part when it has so many rows: `rollingPolicy.rows`, 1000 by default. */
final class RollByRows(parameters: JMap[String, String]) extends RollingPolicy {
  private val rows = parameters.getOrDefault("rows", "1000").toLong

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
    Option.when(part.records >= rows)(RollReason.Custom("rows"))

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason]     = None
  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}
