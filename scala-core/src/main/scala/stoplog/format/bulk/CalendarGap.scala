// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

/** Rejects rows with dates that files with the hybrid calendar cannot store.
  *
  * In the hybrid calendar, 1582-10-15 follows 1582-10-04. Spark's writers move values between these days by
  * up to ten days. ORC files have this calendar, and Parquet and Avro files with the rebase mode `LEGACY`.
  */
private[format] object CalendarGap {

  /** The types of values in the hybrid calendar, in ORC. */
  val Both: Set[DataType] = Set(DateType, TimestampType)

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without dates.
    *
    * @param format of the files, for the error
    * @param moved  the types whose values are stored in the hybrid calendar
    */
  def checkOf(format: String, schema: StructType, moved: Set[DataType]): Option[InternalRow => Unit] =
    ValueCheck.of(format, schema, Reason) {
      case DateType if moved(DateType)           => (values, i) => isMovedDay(values.getInt(i))
      case TimestampType if moved(TimestampType) => (values, i) => isMovedTime(values.getLong(i))
    }

  private def isMovedDay(days: Int): Boolean = days >= FirstDay && days < AfterLastDay

  /** The conversion uses the zone of the process; no zone is a day away from UTC. */
  private def isMovedTime(micros: Long): Boolean =
    micros >= (FirstDay - 1) * MicrosPerDay && micros < (AfterLastDay + 1) * MicrosPerDay &&
      DateTimeUtils.fromJavaTimestamp(DateTimeUtils.toJavaTimestamp(micros)) != micros

  private final val FirstDay     = -141437 // 1582-10-05, in days since 1970-01-01
  private final val AfterLastDay = -141427 // 1582-10-15
  private final val MicrosPerDay = 24L * 60 * 60 * 1000 * 1000

  private final val Reason =
    "a date between 1582-10-05 and 1582-10-14, which the calendar of the file does not have"
}
