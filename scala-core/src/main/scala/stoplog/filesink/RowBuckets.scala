// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{BasePathBucketAssigner, BucketAssigner, BucketContext, BucketId, ColumnTimes}
import stoplog.sink.BatchTimes
import stoplog.thread.Clock
import stoplog.writing.BadRow

/** The buckets of the rows of one task. */
private[filesink] sealed abstract class RowBuckets {

  /** Throws [[stoplog.writing.BadRow]]. */
  def of(row: InternalRow): String
}

private[filesink] object RowBuckets {

  /** A sink without buckets costs no call of the assigner for each row. */
  def of(assigner: BucketAssigner, context: RowContext): RowBuckets = assigner match {
    case _: BasePathBucketAssigner => Base
    case other                     => new Assigned(other, context)
  }

  private case object Base extends RowBuckets {
    override def of(row: InternalRow): String = BucketId.Base
  }

  private final class Assigned(assigner: BucketAssigner, context: RowContext) extends RowBuckets {
    override def of(row: InternalRow): String =
      try assigner.bucket(row, context.at(row))
      catch { case NonFatal(e) => throw new BadRow(e) }
  }

  /** The context of a row for the bucket assigner. One object for all rows.
    *
    * @param eventTime the column with the event time; `None` without a watermark column
    */
  private[filesink] final class RowContext(clock: Clock, eventTime: Option[ColumnTimes], times: BatchTimes)
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
}
