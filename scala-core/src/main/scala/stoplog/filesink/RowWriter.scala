// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.BucketAssigner
import stoplog.commit.{BadRow, TaskResult, TaskWriter}
import stoplog.engine.{SinkWriter, TaskMetric}

/** One task's rows on their way into the commit protocol. */
private[filesink] final class RowWriter(
    writer: TaskWriter[InternalRow],
    assigner: BucketAssigner,
    badRows: BadRows,
    context: RowContext
) extends SinkWriter[InternalRow, TaskResult] {
  private[this] var written = 0L

  override def rows: Long = written

  override def bytes: Option[Long] = Some(writer.counts.bytesWritten)

  override def write(row: InternalRow): Unit =
    try {
      writer.write(bucketOf(row), row)
      written += 1
    } catch { case bad: BadRow => badRows.take(row, BadRows.knownBucket(bucketOf(row)), bad) }

  override def commit(): TaskResult = badRows.commit(writer.commit())

  /** Deletes nothing (I5). */
  override def abort(): Unit = close()

  override def close(): Unit = {
    writer.close()
    badRows.close()
  }

  override def counts: Seq[(TaskMetric, Long)] = {
    val counts = writer.counts
    RowWriter.Metrics.zip(Seq(counts.partsOpened, counts.partsClosed, counts.bytesWritten))
  }

  private def bucketOf(row: InternalRow): String =
    try assigner.bucket(row, context.at(row))
    catch { case NonFatal(e) => throw new BadRow(e) }
}

private[filesink] object RowWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogPartsOpened", "parts opened"),
    TaskMetric("stoplogPartsClosed", "parts closed"),
    TaskMetric("stoplogBytesWritten", "bytes written to parts")
  )
}
