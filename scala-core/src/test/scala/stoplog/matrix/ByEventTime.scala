// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.writing.OpenPartWriter.RowTimes
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}

/** Event times of the matrix' rows: an epoch is ten minutes long, and a row ten seconds. */
object MatrixTimes extends RowTimes[String] {
  override def isMissing(row: String): Boolean = false

  override def micros(row: String): Long = row match {
    case Row(epoch, number) => (epoch.toLong * 600 + number.toLong * 10) * 1000000
    case other              => throw new IllegalArgumentException(other)
  }

  private val Row = "epoch (\\d+) row (\\d+) of .*".r
}

/** Closes parts by event times. The rows of a bucket are thirty seconds nearer to each other than the epochs: what an epoch
  * has left open takes some of the next one's rows, and then ends. One bucket has parts that age, so that the driver, too,
  * has some to close.
  */
object EventTimePolicy extends RollingPolicy {
  val IntervalMillis: Long = 575 * 1000L

  override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] = None

  override def onEventTime(part: PartStats, eventTimeMillis: Long): Option[RollReason] =
    Option.when(part.firstEventTimeMillis.exists(eventTimeMillis - _ >= IntervalMillis))(RollReason.EventTime)

  override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
    if (part.bucket == "d") MatrixPolicy.onTime(part, nowMillis) else None

  override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = None
}
