// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructType, TimestampType}

import stoplog.commit.RowTimes
import stoplog.error.Errors

/** The time of a row, in the column that the option `eventTimeColumn` or the query's `withWatermark` names. */
private[stoplog] final class EventTime private (times: ColumnTimes) extends RowTimes[InternalRow] {
  override def isMissing(row: InternalRow): Boolean = times.isMissing(row)
  override def micros(row: InternalRow): Long       = times.micros(row)

  /** In milliseconds since 1970-01-01T00:00:00Z; `None` if the row has none. */
  def known(row: InternalRow): Option[Long] = Option.when(!isMissing(row))(millis(row))
}

private[stoplog] object EventTime {

  /** `None` if no column is named, and no top-level timestamp of the rows has a watermark. Of several, as behind a join, the
    * first counts. Error: `STOPLOG_EVENT_TIME_COLUMN`.
    */
  def of(column: Option[String], schema: StructType): Option[EventTime] =
    column.orElse(watermarked(schema)).map { name =>
      new EventTime(ColumnTimes.of(name, schema, why => Errors.eventTimeColumn(name, why)))
    }

  private def watermarked(schema: StructType): Option[String] = schema.fields.collectFirst {
    case field if field.metadata.contains(Watermark) && field.dataType == TimestampType => field.name
  }

  // The name of Spark's own constant, which is out of reach.
  private final val Watermark = "spark.watermarkDelayMs"
}
