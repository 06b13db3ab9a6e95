// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructType, TimestampType}

import stoplog.format.bulk.ValueCheck

/** Rejects rows with times in the last second before 1970-01-01T00:00:00Z that ORC files cannot store.
  *
  * orc-core rounds the seconds of a time up, and readers subtract a second from negative times with a
  * millisecond or more. In the last second before 1970, readers find zero seconds: the time is a second late.
  */
private[orc] object LastSecond {

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without times. */
  def checkOf(schema: StructType): Option[InternalRow => Unit] = ValueCheck.of("orc", schema, Reason) {
    case TimestampType => (values, i) => isMoved(values.getLong(i))
  }

  private def isMoved(micros: Long): Boolean = micros < 0 && micros >= First

  private final val First  = -999000L // with a millisecond
  private final val Reason =
    "a time in the last second before 1970-01-01T00:00:00Z, which readers of ORC files move by a second"
}
