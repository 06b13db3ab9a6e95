// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import stoplog.commit.{Attempt, Clock, PreparingTask, TaskPlans, TaskResult}
import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.place.SinkStorage
import stoplog.sink.{BatchTimes, TwoPhaseSink, WriterTask}

/** Goes to the executors, and makes each task's writer there.
  *
  * @param storage of the log, in which a task looks whether it is too late; `None` where there is none
  * @param times   of the micro-batch
  */
private[twophase] final class PreparingFactory[R](
    plan: TaskPlans,
    run: RunId,
    sink: TwoPhaseSink[R],
    sinkId: String,
    storage: Option[SinkStorage],
    times: BatchTimes = BatchTimes.unknown
) extends SinkWriterFactory[R, TaskResult] {

  override def writer(task: TaskAttempt): Option[SinkWriter[R, TaskResult]] =
    Option.unless(task.epoch.exists(plan.isCommitted))(create(task))

  private def create(task: TaskAttempt): PreparingWriter[R] = {
    val mine = plan.forTask(task.partition, Attempt.of(task.attempt, task.stageAttempt))
    val of   = WriterTask(run, sinkId, task.epoch, task.partition, task.attempt, task.stageAttempt, times)
    new PreparingWriter(
      new PreparingTask[R](
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
private[twophase] final class PreparingWriter[R](task: PreparingTask[R]) extends SinkWriter[R, TaskResult] {
  override def write(row: R): Unit = task.write(row)

  override def commit(): TaskResult = task.commit()

  override def abort(): Unit = task.abort()

  override def close(): Unit = task.close()

  override def rows: Long = task.writtenRows

  override def counts: Seq[(TaskMetric, Long)] = Seq(PreparingWriter.RowsPrepared -> task.writtenRows)
}

private[twophase] object PreparingWriter {
  val RowsPrepared: TaskMetric = TaskMetric("stoplogRowsPrepared", "rows prepared")
}
