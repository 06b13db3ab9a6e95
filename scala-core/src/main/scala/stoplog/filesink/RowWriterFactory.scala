// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.BucketId
import stoplog.commit._
import stoplog.engine.{SinkWriterFactory, TaskAttempt}
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.{RejectedLines, RejectedRow}
import stoplog.part.PartNaming
import stoplog.sink.BatchTimes

/** Goes to the executors with an epoch's plan, and makes each task's writer there.
  *
  * @param times of the micro-batch
  */
private[filesink] final class RowWriterFactory(
    plan: TaskPlans,
    sink: FileSinkSpec,
    times: BatchTimes = BatchTimes.unknown
) extends SinkWriterFactory[InternalRow, TaskResult] {

  override def writer(task: TaskAttempt): Option[RowWriter] =
    Option.unless(task.epoch.exists(plan.isCommitted))(create(task))

  private def create(task: TaskAttempt): RowWriter = {
    val mine     = plan.forTask(task.partition, Attempt.of(task.attempt, task.stageAttempt))
    val assigner = sink.rows.assigner
    assigner.open(sink.schema)
    new RowWriter(
      writer[InternalRow](
        mine,
        sink.rows.format.open(sink.storage.sides),
        sink.parts.naming,
        refuseBadBucket,
        TaskWriter.Times(sink.times.ofManifests, sink.times.event.ofPolicy)
      ),
      assigner,
      badRows(mine, task.epoch),
      new RowContext(Clock.system, sink.times.event.column, times)
    )
  }

  /** Rejected rows have parts like others, in directories that no other row goes to. */
  private def badRows(mine: TaskPlan, batch: Option[Long]): BadRows = sink.rows.rejects match {
    case None          => BadRows.Fail
    case Some(rejects) =>
      val naming = PartNaming(sink.parts.naming.prefix, RejectedLines.Suffix)
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
        sink.parts.policy,
        naming,
        sink.parts.maxOpen,
        checkBucket,
        () => sink.storage.refuseIfOvertaken(mine.seq)
      ),
      TaskWriter.Tools(Clock.system, Faults.ofThisJvm, RealTools.inTasks),
      times
    )

  private def refuseBadBucket(id: String): Unit =
    BucketId.problem(id).foreach(why => throw new BadRow(Errors.bucketId(id, why)))
}
