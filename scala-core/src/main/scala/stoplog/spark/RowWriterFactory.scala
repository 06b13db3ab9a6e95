// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.bucket.BucketId
import stoplog.commit._
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.{RejectedLines, RejectedRow}
import stoplog.part.PartNaming
import stoplog.sink.BatchTimes

/** Goes to the executors with an epoch's plan, and makes each task's writer there.
  *
  * @param times of the micro-batch
  */
private[spark] final class RowWriterFactory(
    plan: TaskPlans,
    sink: SinkSpec,
    times: BatchTimes = BatchTimes.unknown
) extends StreamingDataWriterFactory
    with DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    if (plan.isCommitted(epochId)) NothingToWrite else create(partitionId, Some(epochId))

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    create(partitionId, batch = None)

  private def create(partitionId: Int, batch: Option[Long]): DataWriter[InternalRow] = {
    val task     = TaskContext.get()
    val attempt  = Attempt.of(task.attemptNumber(), task.stageAttemptNumber())
    val mine     = plan.forTask(partitionId, attempt)
    val assigner = sink.assigner
    assigner.open(sink.schema)
    new RowWriter(
      writer[InternalRow](
        mine,
        sink.format.open(sink.storage.sides),
        sink.naming,
        refuseBadBucket,
        TaskWriter.Times(sink.times, sink.eventTime.ofPolicy)
      ),
      assigner,
      badRows(mine, batch),
      new RowContext(Clock.system, sink.eventTime.column, times)
    )
  }

  /** Rejected rows have parts like others, in directories that no other row goes to. */
  private def badRows(mine: TaskPlan, batch: Option[Long]): BadRows = sink.rejects match {
    case None          => BadRows.Fail
    case Some(rejects) =>
      val naming = PartNaming(sink.naming.prefix, RejectedLines.Suffix)
      new BadRows.Reject(
        rejects.directory,
        batch,
        () =>
          writer[RejectedRow](
            mine,
            new BadRows.Format(rejects.lines),
            naming,
            checkBucket = _ => (),
            TaskWriter.Times[RejectedRow]()
          )
      )
  }

  private def writer[R](
      mine: TaskPlan,
      format: PartFormat[R],
      naming: PartNaming,
      checkBucket: String => Unit,
      times: TaskWriter.Times[R]
  ): TaskWriter[R] =
    new TaskWriter[R](
      mine,
      sink.storage.parts,
      new Sides(sink.storage.sides, Faults.ofThisJvm),
      format,
      TaskWriter.Rules(
        sink.policy,
        naming,
        sink.maxOpenParts,
        checkBucket,
        () => sink.storage.refuseIfOvertaken(mine.seq)
      ),
      TaskWriter.Tools(Clock.system, Faults.ofThisJvm, RealTools.inTasks),
      times
    )

  private def refuseBadBucket(id: String): Unit =
    BucketId.problem(id).foreach(why => throw new BadRow(Errors.bucketId(id, why)))
}
