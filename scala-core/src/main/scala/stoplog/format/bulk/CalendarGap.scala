// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.types._

/** Rejects rows with dates that files with the hybrid calendar cannot store.
  *
  * In the hybrid calendar, 1582-10-15 follows 1582-10-04. Spark's writers move values between these days by
  * up to ten days. ORC files have this calendar, and Parquet and Avro files with the rebase mode `LEGACY`.
  *
  * A time before 1900 is stored as the local time of a zone. Zones that have set their clocks back have some
  * local times twice, such as half an hour in Asia/Kolkata in 1869, and readers return the other time.
  */
private[format] object CalendarGap {

  /** The types of values in the hybrid calendar, in ORC. */
  val Both: Set[DataType] = Set(DateType, TimestampType)

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without dates.
    *
    * @param format of the files, for the error
    * @param moved  the types whose values are stored in the hybrid calendar
    * @param zone   the time zone in which the writer converts times
    */
  def checkOf(
      format: String,
      schema: StructType,
      moved: Set[DataType],
      zone: String
  ): Option[InternalRow => Unit] =
    ValueCheck.of(format, schema, Reason) {
      case DateType if moved(DateType)           => (values, i) => isMovedDay(values.getInt(i))
      case TimestampType if moved(TimestampType) => (values, i) => isMovedTime(values.getLong(i), zone)
    }

  private def isMovedDay(days: Int): Boolean = days >= FirstDay && days < AfterLastDay

  private def isMovedTime(micros: Long, zone: String): Boolean = micros < SameSince && {
    val stored = RebaseDateTime.rebaseGregorianToJulianMicros(zone, micros)
    RebaseDateTime.rebaseJulianToGregorianMicros(zone, stored) != micros
  }

  private final val FirstDay     = -141437            // 1582-10-05, in days since 1970-01-01
  private final val AfterLastDay = -141427            // 1582-10-15
  private final val SameSince    = -2208988800000000L // 1900-01-01T00:00:00Z, in microseconds

  private final val Reason =
    "a date between 1582-10-05 and 1582-10-14, which the calendar of the file does not have, or a time before " +
      "1900 which the time zone has twice"
}
