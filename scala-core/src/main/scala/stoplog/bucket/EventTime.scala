// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructType, TimestampType}

/** The time of a row, in the column that the query's `withWatermark` names. */
private[stoplog] final class EventTime private (ordinal: Int) extends Serializable {

  /** In milliseconds since 1970-01-01T00:00:00Z; `None` if the row has none. */
  def millis(row: InternalRow): Option[Long] =
    Option.when(!row.isNullAt(ordinal))(Math.floorDiv(row.getLong(ordinal), 1000L))
}

private[stoplog] object EventTime {

  /** `None` if no top-level timestamp of the rows has a watermark. Of several, as behind a join, the first counts. */
  def of(schema: StructType): Option[EventTime] = schema.fields.indexWhere { field =>
    field.metadata.contains(Watermark) && field.dataType == TimestampType
  } match {
    case -1      => None
    case ordinal => Some(new EventTime(ordinal))
  }

  // The name of Spark's own constant, which is out of reach.
  private final val Watermark = "spark.watermarkDelayMs"
}
