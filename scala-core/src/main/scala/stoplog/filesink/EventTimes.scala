// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.bucket.ColumnTimes
import stoplog.commit.RowTimes
import stoplog.error.Errors
import stoplog.options.{EventTimeUse, SinkOptions}

/** The event times of the rows of a write.
  *
  * @param column   for assigners; `None` if rows have none
  * @param ofPolicy for the rolling policy, if it asks
  */
private[stoplog] final case class EventTimes(column: Option[ColumnTimes], ofPolicy: RowTimes[InternalRow])

private[stoplog] object EventTimes {

  /** Errors: `STOPLOG_EVENT_TIME_COLUMN`, `STOPLOG_EVENT_TIME_MISSING`. */
  def of(options: SinkOptions, schema: StructType): EventTimes = {
    val column = ColumnTimes.ofEvents(options.rolling.eventTimeColumn, schema)
    EventTimes(
      column,
      options.rolling.eventTimeUse match {
        case EventTimeUse.Required => column.getOrElse(throw Errors.eventTimeMissing())
        case EventTimeUse.Optional => column.getOrElse(RowTimes.Unasked)
        case EventTimeUse.Unused   => RowTimes.Unasked
      }
    )
  }
}
