// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{BucketContext, EventTime}
import stoplog.commit.Clock
import stoplog.sink.BatchTimes

/** What a task tells its assigner beside each row. One object for all rows.
  *
  * @param eventTime where a row has it; `None` if no column has a watermark
  */
private[stoplog] final class RowContext(clock: Clock, eventTime: Option[EventTime], times: BatchTimes)
    extends BucketContext {
  private[this] var current: InternalRow = _

  def at(row: InternalRow): this.type = {
    current = row
    this
  }

  override def processingTimeMillis: Long = clock.millis()

  override def eventTimeMillis: Option[Long] = eventTime.flatMap(_.known(current))

  override def watermarkMillis: Option[Long] = times.watermarkMillis
}
