// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{Iterator => JIterator}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}

/** Creates the writer of each task. Serialized to the executors.
  *
  * @param required the values that must not be null
  * @param rows     the conversion of the rows, which comes first
  */
private[spark] final class TaskWriterFactory[M](
    writers: SinkWriterFactory[InternalRow, M],
    required: RequiredValues = new RequiredValues,
    rows: TableRows = TableRows.Unchanged
) extends StreamingDataWriterFactory
    with DataWriterFactory {
  import TaskWriterFactory.{NothingToWrite, SinkDataWriter}

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    create(partitionId, Some(epochId))

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    create(partitionId, epoch = None)

  private def create(partitionId: Int, epoch: Option[Long]): DataWriter[InternalRow] = {
    val task = TaskContext.get()
    writers.writer(TaskAttempt(epoch, partitionId, task.attemptNumber(), task.stageAttemptNumber())) match {
      case Some(writer) => new SinkDataWriter(writer, preparation)
      case None         => NothingToWrite
    }
  }

  /** The conversion and the check of each row of one task; `None` for rows that need neither. */
  private def preparation: Option[InternalRow => InternalRow] =
    Option.unless(rows.areUnchanged && required.isNothing) {
      val converted = rows.newProjection()
      row =>
        val ofTable = converted(row)
        required.check(ofTable)
        ofTable
    }
}

private[spark] object TaskWriterFactory {

  /** Writes the rows of one task to the sink.
    *
    * @param preparation of each row; `None` for rows that need none
    */
  final class SinkDataWriter[M](
      writer: SinkWriter[InternalRow, M],
      preparation: Option[InternalRow => InternalRow] = None
  ) extends DataWriter[InternalRow] {

    // Spark reads the metrics every 100 rows.
    private[this] val metrics: Array[CustomTaskMetric] =
      (writer.counts.map { case (metric, count) =>
        new TaskCount(metric.name, count)
      } ++ outputMetrics).toArray

    override def write(row: InternalRow): Unit = preparation match {
      case None          => writer.write(row)
      case Some(prepare) => writer.write(prepare(row))
    }

    override def writeAll(rows: JIterator[InternalRow]): Unit = preparation match {
      case None          => writer.writeAll(rows)
      case Some(prepare) => while (rows.hasNext) writer.write(prepare(rows.next()))
    }

    override def commit(): WriterCommitMessage = {
      val result = writer.commit()
      writer.bytes.foreach(TaskOutput.is(writer.rows, _))
      TaskMessage(Some(result))
    }

    override def abort(): Unit = writer.abort()

    override def close(): Unit = writer.close()

    override def currentMetricsValues(): Array[CustomTaskMetric] = metrics

    /** The output under Spark's own metric names, for the UI, event logs and listeners. Spark recognizes
      * these names, so no [[TaskSum]] is needed.
      */
    private def outputMetrics: Seq[TaskCount] =
      new TaskCount("recordsWritten", () => writer.rows) +:
        writer.bytes.map(_ => new TaskCount("bytesWritten", () => writer.bytes.getOrElse(0L))).toSeq
  }

  /** The writer of a committed epoch. Spark repeats an epoch if Spark did not record its commit. */
  object NothingToWrite extends DataWriter[InternalRow] {
    override def write(row: InternalRow): Unit = ()
    override def commit(): WriterCommitMessage = TaskMessage(None)
    override def abort(): Unit                 = ()
    override def close(): Unit                 = ()
  }

  /** The current count of a task. */
  final class TaskCount(metric: String, count: () => Long) extends CustomTaskMetric {
    override def name(): String = metric
    override def value(): Long  = count()
  }

  /** The message of a task to the driver. Empty if its epoch was already committed. */
  final case class TaskMessage[M](result: Option[M]) extends WriterCommitMessage

  object TaskMessage {
    def results[M](messages: Array[WriterCommitMessage]): Seq[M] =
      messages.toSeq.collect { case TaskMessage(Some(result)) => result.asInstanceOf[M] }
  }
}

/** A metric of the SQL tab: the sum over an epoch's tasks. For the sum, Spark creates an instance by
  * reflection without arguments. Name and description come from the instance declared by the sink.
  */
private[spark] final class TaskSum(metric: TaskMetric) extends CustomSumMetric {
  def this() = this(TaskMetric("", ""))

  override def name(): String        = metric.name
  override def description(): String = metric.text
}
