// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.write.{DataWriter, WriterCommitMessage}

import stoplog.bucket.BucketAssigner
import stoplog.commit.{BadRow, TaskResult, TaskWriter}

/** What a task tells the driver; nothing if its epoch was in the log already. */
private[spark] final case class TaskMessage(result: Option[TaskResult]) extends WriterCommitMessage

/** One task's rows on their way into the commit protocol. */
private[spark] final class RowWriter(
    writer: TaskWriter[InternalRow],
    assigner: BucketAssigner,
    badRows: BadRows,
    context: RowContext
) extends DataWriter[InternalRow] {
  private[this] var rows = 0L

  override def write(row: InternalRow): Unit =
    try {
      writer.write(bucketOf(row), row)
      rows += 1
    } catch { case bad: BadRow => badRows.take(row, BadRows.knownBucket(bucketOf(row)), bad) }

  override def commit(): WriterCommitMessage = {
    val written = TaskMessage(Some(badRows.commit(writer.commit())))
    TaskOutput.is(rows, writer.counts.bytesWritten)
    written
  }

  /** Deletes nothing (I5). */
  override def abort(): Unit = close()

  override def close(): Unit = {
    writer.close()
    badRows.close()
  }

  private def bucketOf(row: InternalRow): String =
    try assigner.bucket(row, context.at(row))
    catch { case NonFatal(e) => throw new BadRow(e) }

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    TaskMetrics.values(writer.counts) ++ OutputMetrics.of(rows, writer.counts.bytesWritten)
}

/** The writer of an epoch that is in the log: Spark repeats an epoch whose commit it has not seen. */
private[spark] object NothingToWrite extends DataWriter[InternalRow] {
  override def write(row: InternalRow): Unit = ()
  override def commit(): WriterCommitMessage = TaskMessage(None)
  override def abort(): Unit                 = ()
  override def close(): Unit                 = ()
}
