// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.RebaseDateTime.{lastSwitchJulianDay, lastSwitchJulianTs}
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}
import org.apache.spark.sql.types._

import stoplog.format.bulk.{CalendarGap, ValueCheck}

/** Rejects rows with dates and times that Parquet files cannot store under the settings of Spark:
  * `spark.sql.parquet.datetimeRebaseModeInWrite`, or `int96RebaseModeInWrite` for times as INT96.
  *
  *  - `CORRECTED` stores all values.
  *  - `LEGACY` stores values in the hybrid calendar: see [[CalendarGap]].
  *  - `EXCEPTION` stores no value that the calendars store differently.
  */
private[parquet] object OldDates {

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` if all values can be stored. */
  def limits(schema: StructType, session: SQLConf): Option[InternalRow => Unit] = {
    val moved     = typesWith(LegacyBehaviorPolicy.LEGACY, session)
    val forbidden = typesWith(LegacyBehaviorPolicy.EXCEPTION, session)
    ValueCheck.all(
      CalendarGap.checkOf("parquet", schema, moved, session.sessionLocalTimeZone),
      olderThan(schema, forbidden)
    )
  }

  /** Returns a check that rejects all rows which any settings reject. */
  def anyLimits(schema: StructType): Option[InternalRow => Unit] = olderThan(schema, CalendarGap.Both)

  private def olderThan(schema: StructType, types: Set[DataType]): Option[InternalRow => Unit] =
    ValueCheck.of("parquet", schema, Reason) {
      case DateType if types(DateType)           => (values, i) => values.getInt(i) < lastSwitchJulianDay
      case TimestampType if types(TimestampType) => (values, i) => values.getLong(i) < lastSwitchJulianTs
    }

  private def typesWith(mode: LegacyBehaviorPolicy.Value, session: SQLConf): Set[DataType] = {
    def has(key: String) = session.getConfString(key) == mode.toString
    val times            =
      if (session.parquetOutputTimestampType == ParquetOutputTimestampType.INT96)
        SQLConf.PARQUET_INT96_REBASE_MODE_IN_WRITE.key
      else SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key
    Set[DataType]() ++
      Option.when(has(SQLConf.PARQUET_REBASE_MODE_IN_WRITE.key))(DateType) ++
      Option.when(has(times))(TimestampType)
  }

  private final val Reason =
    "a date before 1582-10-15 or a time before 1900, which the mode EXCEPTION of " +
      "spark.sql.parquet.datetimeRebaseModeInWrite (or int96RebaseModeInWrite) rejects"
}
