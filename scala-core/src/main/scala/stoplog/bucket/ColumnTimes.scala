// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, DateType, StructType, TimestampNTZType, TimestampType}

import stoplog.commit.OpenPartWriter.RowTimes
import stoplog.error.Errors
import stoplog.log.{TimeColumn, TimeKind}

/** The times of the rows in a top-level column of type `TIMESTAMP`, `TIMESTAMP_NTZ` or `DATE`: in UTC, or in the zone where
  * the column is local.
  */
private[stoplog] final class ColumnTimes private (ordinal: Int, val column: TimeColumn)
    extends RowTimes[InternalRow] {
  private[this] val isDay = column.kind == TimeKind.Day

  override def isMissing(row: InternalRow): Boolean = row.isNullAt(ordinal)

  override def micros(row: InternalRow): Long =
    if (isDay) TimeUnit.DAYS.toMicros(row.getInt(ordinal).toLong) else row.getLong(ordinal)

  /** The row's time in milliseconds since 1970-01-01T00:00:00Z; `None` if it has none. */
  def known(row: InternalRow): Option[Long] = Option.when(!isMissing(row))(millis(row))
}

private[stoplog] object ColumnTimes {

  /** Error: `STOPLOG_BUCKET_COLUMN`. */
  def of(column: String, schema: StructType): ColumnTimes = of(column, schema, Errors.bucketColumn(column, _))

  /** The event times of rows, in the column that the option `eventTimeColumn` or the query's `withWatermark` names.
    *
    * `None` if neither names one. Of several timestamps with a watermark, as behind a join, the first counts. Error:
    * `STOPLOG_EVENT_TIME_COLUMN`.
    */
  def ofEvents(column: Option[String], schema: StructType): Option[ColumnTimes] =
    column.orElse(watermarked(schema)).map(name => of(name, schema, Errors.eventTimeColumn(name, _)))

  private def of(column: String, schema: StructType, refused: String => Exception): ColumnTimes = {
    val times = for {
      ordinal <- ColumnLookup.ordinal(schema, column)
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

  // The name of Spark's own constant, which is out of reach.
  private final val Watermark = "spark.watermarkDelayMs"

  private[bucket] object ColumnLookup {

    /** The place of a top-level column: of the one with exactly this name, or else of the only one that differs in case
      * alone; or the reason why there is none.
      */
    def ordinal(schema: StructType, name: String): Either[String, Int] =
      schema.fieldNames.indexOf(name) match {
        case -1    => ignoringCase(schema, name)
        case exact => Right(exact)
      }

    private def ignoringCase(schema: StructType, name: String): Either[String, Int] =
      schema.fieldNames.indices.filter(schema.fieldNames(_).equalsIgnoreCase(name)) match {
        case Seq(one) => Right(one)
        case Seq()    => Left(s"there is no column '$name' among ${schema.fieldNames.mkString(", ")}")
        case _        => Left(s"there are several columns called '$name' in different cases")
      }
  }
}
