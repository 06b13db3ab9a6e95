// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.commit.{Attempt, Clock, PreparingTask, TaskPlans}
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.place.SinkStorage
import stoplog.sink.{BatchTimes, TwoPhaseSink, WriterTask}

/** Goes to the executors, and makes each task's writer there.
  *
  * @param storage of the log, in which a task looks whether it is too late; `None` where there is none
  * @param times   of the micro-batch
  */
private[spark] final class PreparingFactory(
    plan: TaskPlans,
    run: RunId,
    sink: TwoPhaseSink[InternalRow],
    sinkId: String,
    storage: Option[SinkStorage],
    times: BatchTimes = BatchTimes.unknown
) extends StreamingDataWriterFactory
    with DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    if (plan.isCommitted(epochId)) NothingToWrite else create(partitionId, Some(epochId))

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    create(partitionId, epoch = None)

  private def create(partitionId: Int, epoch: Option[Long]): DataWriter[InternalRow] = {
    val task = TaskContext.get()
    val mine = plan.forTask(partitionId, Attempt.of(task.attemptNumber(), task.stageAttemptNumber()))
    val of   =
      WriterTask(run, sinkId, epoch, partitionId, task.attemptNumber(), task.stageAttemptNumber(), times)
    new PreparingWriter(
      new PreparingTask[InternalRow](
        mine,
        () => sink.writer(of),
        Clock.system,
        Faults.ofThisJvm,
        mayStart = () => storage.foreach(_.refuseIfOvertaken(mine.seq))
      )
    )
  }
}

/** One task's rows on their way into the commit protocol. */
private[spark] final class PreparingWriter(task: PreparingTask[InternalRow]) extends DataWriter[InternalRow] {
  override def write(row: InternalRow): Unit = task.write(row)

  override def commit(): WriterCommitMessage = TaskMessage(Some(task.commit()))

  override def abort(): Unit = task.abort()

  override def close(): Unit = task.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    OutputMetrics.ofRows(task.writtenRows) :+ new TaskCount(PreparedRowsMetric.Name, task.writtenRows)
}

/** Spark makes it by reflection. */
private[spark] final class PreparedRowsMetric extends TaskSum(PreparedRowsMetric.Name, "rows prepared")

private[spark] object PreparedRowsMetric {
  final val Name = "stoplogRowsPrepared"

  def all: Array[CustomMetric] = Array(new PreparedRowsMetric)
}
