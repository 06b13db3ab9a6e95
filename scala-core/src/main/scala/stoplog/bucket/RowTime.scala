// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DateType, StructType, TimestampNTZType, TimestampType}

import stoplog.error.Errors
import stoplog.log.TimeKind

/** The reader of a row's time, in microseconds since 1970-01-01T00:00:00 (in UTC, or in the zone where it is
  * local).
  */
private[bucket] sealed abstract class RowTime extends Serializable {

  def kind: TimeKind

  /** Whether the time is an instant, to be shown in some zone, rather than a local time. */
  final def hasZone: Boolean = kind == TimeKind.Instant

  def isMissing(row: InternalRow): Boolean

  def micros(row: InternalRow, context: BucketContext): Long
}

private[bucket] object RowTime {

  def of(column: Option[String], schema: StructType): RowTime =
    column.fold[RowTime](Processing) { name =>
      ofColumn(name, schema).fold(why => throw Errors.bucketColumn(name, why), identity)
    }

  /** Or what stands against the column. */
  def ofColumn(name: String, schema: StructType): Either[String, RowTime] =
    ColumnLookup.ordinal(schema, name).flatMap { ordinal =>
      schema(ordinal).dataType match {
        case TimestampType    => Right(Instant(ordinal))
        case TimestampNTZType => Right(Local(ordinal))
        case DateType         => Right(Day(ordinal))
        case other            => Left(s"it is of type ${other.simpleString}")
      }
    }

  private case object Processing extends RowTime {
    override def kind: TimeKind                                         = TimeKind.Instant
    override def isMissing(row: InternalRow): Boolean                   = false
    override def micros(row: InternalRow, context: BucketContext): Long =
      TimeUnit.MILLISECONDS.toMicros(context.processingTimeMillis)
  }

  private sealed abstract class Column(ordinal: Int) extends RowTime {
    override def isMissing(row: InternalRow): Boolean = row.isNullAt(ordinal)
  }

  private final case class Instant(ordinal: Int) extends Column(ordinal) {
    override def kind: TimeKind                                         = TimeKind.Instant
    override def micros(row: InternalRow, context: BucketContext): Long = row.getLong(ordinal)
  }

  private final case class Local(ordinal: Int) extends Column(ordinal) {
    override def kind: TimeKind                                         = TimeKind.Local
    override def micros(row: InternalRow, context: BucketContext): Long = row.getLong(ordinal)
  }

  private final case class Day(ordinal: Int) extends Column(ordinal) {
    override def kind: TimeKind                                         = TimeKind.Day
    override def micros(row: InternalRow, context: BucketContext): Long =
      TimeUnit.DAYS.toMicros(row.getInt(ordinal).toLong)
  }
}
