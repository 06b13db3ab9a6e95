package stoplog.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.bucket.BucketId
import stoplog.commit.{Attempt, Clock, PackedPlan, Sides, TaskWriter}
import stoplog.fault.Faults

/** Goes to the executors with an epoch's plan, and makes each task's writer there. */
private[spark] final class RowWriterFactory(plan: PackedPlan, sink: SinkSpec)
    extends StreamingDataWriterFactory
    with DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    if (plan.isCommitted(epochId)) NothingToWrite else createWriter(partitionId, taskId)

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] = {
    val task     = TaskContext.get()
    val attempt  = Attempt.of(task.attemptNumber(), task.stageAttemptNumber())
    val mine     = plan.forTask(partitionId, attempt)
    val assigner = sink.assigner
    assigner.open(sink.schema)
    val writer = new TaskWriter[InternalRow](
      mine,
      sink.storage.parts,
      sink.format.open(sink.storage.sides),
      sink.policy,
      sink.naming,
      sink.maxOpenParts,
      Clock.system,
      Faults.ofThisJvm,
      checkBucket = BucketId.checked(_),
      mayStart = () => sink.storage.refuseIfOvertaken(mine.seq),
      new Sides(sink.storage.sides, Faults.ofThisJvm),
      SinkRun.inTasks
    )
    new RowWriter(writer, assigner, Clock.system)
  }
}
