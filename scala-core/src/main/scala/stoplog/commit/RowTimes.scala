// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.TimeRange

/** The time of each row, in microseconds since 1970-01-01T00:00:00. */
trait RowTimes[-R] extends Serializable {

  /** Whether this row has none. */
  def isMissing(row: R): Boolean

  /** Not asked where [[isMissing]]. */
  def micros(row: R): Long

  /** As [[micros]], in milliseconds. */
  final def millis(row: R): Long = Math.floorDiv(micros(row), 1000L)
}

object RowTimes {

  /** No times, for a write that needs none. */
  case object Unasked extends RowTimes[Any] {
    override def isMissing(row: Any): Boolean = true
    override def micros(row: Any): Long       = 0
  }
}

/** Between which times the rows of one part are. */
private[commit] final class TimesSeen[R](times: RowTimes[R], before: Option[TimeRange], rowsBefore: Long) {
  private[this] var min = before.fold(Long.MaxValue)(_.minMicros)
  private[this] var max = before.fold(Long.MinValue)(_.maxMicros)

  // Rows may be written without being asked for their times: the times of the others are then not those of all rows.
  private[this] val asked   = times != RowTimes.Unasked
  private[this] var isKnown = rowsBefore == 0 || before.isDefined

  def add(row: R): Unit =
    if (!asked) isKnown = false
    else if (isKnown && !times.isMissing(row)) {
      val micros = times.micros(row)
      if (micros < min) min = micros
      if (micros > max) max = micros
    }

  /** `None` without a row that has a time, or with rows that were not looked at. */
  def result: Option[TimeRange] = Option.when(isKnown && min <= max)(TimeRange(min, max))
}
