// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}

import stoplog.engine._
import stoplog.options.SparkHadoop
import stoplog.place.PlannedBatches

/** One micro-batch. Spark makes a new one each time; what has to last is in the [[SinkTable]]. */
private[spark] final class EpochWrite[M](
    table: SinkTable[M],
    info: LogicalWriteInfo,
    planned: EngineWrite[InternalRow, M]
) extends StreamingWrite {
  @volatile private var current = Option.empty[EngineRun[InternalRow, M]]

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    val run     = table.runOf(planned, RunStart(info.queryId(), context.runId, context.trigger))
    val batches = new PlannedBatches(
      context.batch,
      QueryContext.checkpoint(info.queryId()).orElse(table.checkpoint), // the running query knows it better
      SparkHadoop.configuration
    )
    val writers =
      run.begin(EpochStart(context.batch, physical.numPartitions(), batches, batches.times))
    current = Some(run)
    new TaskWriterFactory(writers)
  }

  /** Every attempt writes where no other can, and the driver takes one result of each task: nothing to coordinate. */
  override def useCommitCoordinator(): Boolean = false

  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    current.foreach(_.commit(epochId, TaskMessage.results(messages)))

  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = current.foreach(_.abort())

  override def toString: String = table.name()
}

/** A batch job. */
private[spark] final class JobWrite[M](name: String, job: EngineJob[InternalRow, M]) extends BatchWrite {

  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory =
    new TaskWriterFactory(job.begin(physical.numPartitions()))

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = job.commit(TaskMessage.results(messages))

  override def abort(messages: Array[WriterCommitMessage]): Unit = job.abort(TaskMessage.results(messages))

  override def toString: String = name
}
