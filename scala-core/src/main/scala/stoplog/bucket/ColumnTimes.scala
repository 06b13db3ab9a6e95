// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.RowTimes
import stoplog.error.Errors
import stoplog.log.TimeColumn

/** The times of the rows in the column from which buckets take theirs. */
private[stoplog] final class ColumnTimes private (time: RowTime, val column: TimeColumn)
    extends RowTimes[InternalRow] {
  override def isMissing(row: InternalRow): Boolean = time.isMissing(row)
  override def micros(row: InternalRow): Long       = time.micros(row, ColumnTimes.NoClock)
}

private[stoplog] object ColumnTimes {

  /** Error: `STOPLOG_BUCKET_COLUMN`. */
  def of(column: String, schema: StructType): ColumnTimes = of(column, schema, Errors.bucketColumn(column, _))

  /** @param refused the error for what stands against the column */
  def of(column: String, schema: StructType, refused: String => Exception): ColumnTimes = {
    val time = RowTime.ofColumn(column, schema).fold(why => throw refused(why), identity)
    val name = ColumnLookup.ordinal(schema, column).fold(_ => column, schema.fieldNames(_))
    new ColumnTimes(time, TimeColumn(name, time.kind))
  }

  /** The row itself has a time. */
  private object NoClock extends BucketContext {
    override def processingTimeMillis: Long = throw new IllegalStateException("a column needs no clock")
  }
}
