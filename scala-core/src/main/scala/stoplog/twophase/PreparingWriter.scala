// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}
import stoplog.fault.{Faults, Step}
import stoplog.part.RunId
import stoplog.plan.{Attempt, TaskPlan, TaskPlans, TaskResult}
import stoplog.sink.{BatchTimes, Prepared, TwoPhaseSink, TwoPhaseWriter, WriterTask}
import stoplog.stores.SinkStorage
import stoplog.thread.Clock

/** Protocol steps 4 and 5 for a sink whose epochs leave nothing open. Used only by the task's thread.
  *
  * @param open     creates the writer, at the first row
  * @param mayStart called once before `open`; throws if this run has been fenced
  */
private[stoplog] final class PreparingWriter[R](
    plan: TaskPlan,
    open: () => TwoPhaseWriter[R],
    clock: Clock,
    faults: Faults,
    mayStart: () => Unit
) extends SinkWriter[R, TaskResult] {
  private[this] val startedAtMillis = clock.millis()
  private[this] var writer          = Option.empty[TwoPhaseWriter[R]]
  private[this] var phase           = PreparingWriter.Phase.Writing: PreparingWriter.Phase
  private[this] var written         = 0L

  override def rows: Long = written

  override def counts: Seq[(TaskMetric, () => Long)] = Seq(PreparingWriter.RowsPrepared -> (() => written))

  override def write(row: R): Unit = {
    writer.getOrElse(started()).write(row)
    written += 1
    if (written == 1) faults.at(Step.MidWrite)
  }

  /** Makes all rows durable, and returns the prepared output. */
  override def commit(): TaskResult = {
    faults.at(Step.BeforeSync)
    val prepared = writer.fold(Vector.empty[Prepared])(_.prepare())
    phase = PreparingWriter.Phase.Prepared
    faults.at(Step.AfterSync)
    plan.prepared(prepared, startedAtMillis, clock.millis())
  }

  /** Undoes output that the driver has not received. Received output may be in a record (I5). */
  override def abort(): Unit = if (phase == PreparingWriter.Phase.Writing) {
    phase = PreparingWriter.Phase.Aborted
    writer.foreach(_.abort())
  }

  override def close(): Unit = {
    val left = writer
    writer = None
    left.foreach(_.close())
  }

  private def started(): TwoPhaseWriter[R] = {
    mayStart()
    val opened = open()
    writer = Some(opened)
    faults.at(Step.PartOpened)
    opened
  }
}

private[twophase] object PreparingWriter {
  val RowsPrepared: TaskMetric = TaskMetric("stoplogRowsPrepared", "rows prepared")

  sealed trait Phase
  object Phase {
    case object Writing  extends Phase
    case object Prepared extends Phase
    case object Aborted  extends Phase
  }

  /** Serialized to the executors, where the factory creates each task's writer.
    *
    * @param storage the storage of the log, in which a task looks for a newer run; `None` without a log
    * @param times   the times of the micro-batch
    */
  final class PreparingFactory[R](
      plan: TaskPlans,
      run: RunId,
      sink: TwoPhaseSink[R],
      sinkId: String,
      storage: Option[SinkStorage],
      times: BatchTimes = BatchTimes.unknown
  ) extends SinkWriterFactory[R, TaskResult] {

    override def writer(task: TaskAttempt): Option[SinkWriter[R, TaskResult]] =
      Option.unless(task.epoch.exists(plan.isCommitted))(create(task))

    override def isCommitted(epoch: Long): Boolean = plan.isCommitted(epoch)

    private def create(task: TaskAttempt): PreparingWriter[R] = {
      val taskPlan = plan.forTask(task.partition, Attempt.of(task.attempt, task.stageAttempt))
      val of = WriterTask(run, sinkId, task.epoch, task.partition, task.attempt, task.stageAttempt, times)
      new PreparingWriter(
        taskPlan,
        () => sink.writer(of),
        Clock.system,
        Faults.ofThisJvm,
        mayStart = () => storage.foreach(_.refuseIfOvertaken(taskPlan.seq))
      )
    }
  }
}
