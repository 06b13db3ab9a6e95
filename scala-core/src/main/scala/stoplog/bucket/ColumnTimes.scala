// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, DateType, StructType, TimestampNTZType, TimestampType}

import stoplog.writing.OpenPartWriter.RowTimes
import stoplog.error.Errors
import stoplog.log.{TimeColumn, TimeKind}
import stoplog.util.ColumnNames

/** The times of the rows in a top-level column of type `TIMESTAMP`, `TIMESTAMP_NTZ` or `DATE`. A `TIMESTAMP`
  * is in UTC; the other types are local times without a zone.
  */
private[stoplog] final class ColumnTimes private (ordinal: Int, val column: TimeColumn)
    extends RowTimes[InternalRow] {
  private[this] val isDay = column.kind == TimeKind.Day

  override def isMissing(row: InternalRow): Boolean = row.isNullAt(ordinal)

  override def micros(row: InternalRow): Long =
    if (isDay) TimeUnit.DAYS.toMicros(row.getInt(ordinal).toLong) else row.getLong(ordinal)

  /** Returns the row's time in milliseconds since 1970-01-01T00:00:00Z; `None` if the value is null. */
  def known(row: InternalRow): Option[Long] = Option.when(!isMissing(row))(millis(row))
}

private[stoplog] object ColumnTimes {

  /** Creates the times of a bucket column. Error: `STOPLOG_OPTION_COLUMN`. */
  def of(column: String, schema: StructType): ColumnTimes = of(column, schema, Errors.bucketColumn(column, _))

  /** Creates the event times of rows. The column is named by the option `eventTimeColumn`, or else by the
    * query's `withWatermark`.
    *
    * Returns `None` if neither names a column. If several timestamps have a watermark, as after a join, the
    * first column is used. Error: `STOPLOG_OPTION_COLUMN`.
    */
  def ofEvents(column: Option[String], schema: StructType): Option[ColumnTimes] =
    column.orElse(watermarked(schema)).map(name => of(name, schema, Errors.eventTimeColumn(name, _)))

  private def of(column: String, schema: StructType, refused: String => Exception): ColumnTimes = {
    val times = for {
      ordinal <- ColumnNames.find(schema.fieldNames, column)
      kind    <- kindOf(schema(ordinal).dataType)
    } yield new ColumnTimes(ordinal, TimeColumn(schema.fieldNames(ordinal), kind))
    times.fold(why => throw refused(why), identity)
  }

  private def kindOf(dataType: DataType): Either[String, TimeKind] = dataType match {
    case TimestampType    => Right(TimeKind.Instant)
    case TimestampNTZType => Right(TimeKind.Local)
    case DateType         => Right(TimeKind.Day)
    case other            => Left(s"it is of type ${other.simpleString}")
  }

  private def watermarked(schema: StructType): Option[String] = schema.fields.collectFirst {
    case field if field.metadata.contains(Watermark) && field.dataType == TimestampType => field.name
  }

  // The name of a constant which is not accessible in Spark.
  private final val Watermark = "spark.watermarkDelayMs"
}
