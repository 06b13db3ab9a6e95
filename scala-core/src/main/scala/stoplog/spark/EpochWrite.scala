// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.write.{LogicalWriteInfo, PhysicalWriteInfo, WriterCommitMessage}
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

import stoplog.commit.TaskPlans

/** One micro-batch. Spark makes a new one each time; what has to last is in the [[SinkTable]]. */
private[spark] final class EpochWrite(table: SinkTable, info: LogicalWriteInfo) extends StreamingWrite {
  @volatile private var current = Option.empty[CurrentRun]

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    val found   = table.runOf(info.queryId(), context, info.schema())
    val planned = PlannedBatches.of(info.queryId(), context.batch, table.options.checkpointLocation)
    val plan    = found.run.begin(context.batch, physical.numPartitions(), planned)
    current = Some(found)
    new RowWriterFactory(TaskPlans.of(plan), found.sink, planned.times)
  }

  /** Every attempt writes where no other can, and the driver takes one result of each task: nothing to coordinate. */
  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    current.foreach { found =>
      val results = TaskMessages.results(messages)
      found.run.driver.commit(epochId, results)
      found.layout.written(results)
    }

  /** Deletes nothing (I5): also called when a commit was interrupted, and while tasks still run. */
  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    current.foreach(_.run.driver.abort())

  override def toString: String = table.name()
}

private[spark] object TaskMessages {
  import stoplog.commit.TaskResult

  def results(messages: Array[WriterCommitMessage]): Seq[TaskResult] =
    messages.toSeq.collect { case TaskMessage(Some(result)) => result }
}
