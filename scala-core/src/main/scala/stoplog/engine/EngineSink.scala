// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import stoplog.commit.{BatchDigests, TaskPlans}
import stoplog.sink.BatchTimes

/** A sink, as the frame of an engine drives it.
  *
  * The frame knows the engine, and turns the engine's calls into these: for Spark that is [[stoplog.spark.SinkTable]]. The
  * sink knows the target. The engine keeps one object for all runs and jobs of one write.
  *
  * @tparam C the columns of rows, as the engine describes them
  * @tparam R a row, as the engine has it; the engine uses it again, so a sink must not keep it
  * @tparam M the message of a task to the driver when it is done
  */
private[stoplog] trait EngineSink[C, R, M] {

  /** The name in plans and messages, without a secret. */
  def name: String

  /** The columns of the rows, as far as they are known before a write. */
  def columns: C

  /** The writes that may replace the rows that the target has. */
  def replacing: Replacing

  /** The counts of its tasks, which the engine sums up. */
  def taskMetrics: Seq[TaskMetric]

  /** The counts before the first epoch of a run. */
  def noCounts: Seq[(String, Long)]

  /** Plans a write, which the engine may not carry out. Errors: those of the columns, and of what the sink cannot do. */
  def plan(asked: WriteRequest[C]): EngineWrite[R, M]

  /** Carries out what an earlier run of this query has decided, and claims nothing: the engine may still refuse the start.
    *
    * @return the number of the newest record; `None` if the query has no earlier run, or if nothing of one outlives it
    */
  def resume(queryId: String): Option[Long] = None
}

/** The writes that may replace the rows that the target has. */
private[stoplog] sealed trait Replacing
private[stoplog] object Replacing {
  case object Never  extends Replacing
  case object InJobs extends Replacing

  /** In jobs, and in each epoch of a query with the output mode `complete`. */
  case object Always extends Replacing
}

/** The treatment of the rows that the target has already. */
private[stoplog] sealed trait Existing
private[stoplog] object Existing {
  case object Keep    extends Existing
  case object Replace extends Existing
}

/** @param queryId of the query, or of the one job */
private[stoplog] final case class WriteRequest[C](columns: C, queryId: String, existing: Existing)

/** One planned write: the epochs of a query, or a batch job. */
private[stoplog] trait EngineWrite[R, M] {

  /** `None` where the rows stay in the tasks that have them. */
  def distribution: Option[RowDistribution] = None

  /** One start of the query; called in its first epoch, because the engine may still refuse a start before. */
  def start(start: RunStart): EngineRun[R, M]

  def job(): EngineJob[R, M]
}

/** The rows that the engine brings into one task.
  *
  * @param clustering columns: rows that are equal in all of them come into one task
  * @param tasks      how many; `None` leaves it to the engine
  * @param ordering   columns by which the rows of a task are sorted, ascending
  */
private[stoplog] final case class RowDistribution(
    clustering: Seq[String],
    tasks: Option[Int],
    ordering: Seq[String] = Nil
)

/** @param runId of this start; another one has another
  * @param trigger how the epochs of the query come about
  */
private[stoplog] final case class RunStart(queryId: String, runId: String, trigger: QueryTrigger)

private[stoplog] sealed abstract class QueryTrigger(val word: String)
private[stoplog] object QueryTrigger {

  /** The query ends by itself, when it has read the data that is there. */
  case object Finite extends QueryTrigger("finite")

  /** The query goes on until it is stopped. */
  case object Unending extends QueryTrigger("unending")

  /** The setting under which a log keeps the trigger of its last run, for tools. */
  val Noted = "trigger"
}

/** @param batch   the epoch's number
  * @param slots   how many tasks it has
  * @param digests which batches these are, where the engine tells
  * @param carrier brings large data to tasks of this epoch and of later ones
  */
private[stoplog] final case class EpochStart(
    batch: Long,
    slots: Int,
    digests: BatchDigests,
    times: BatchTimes,
    carrier: Carrier
)

/** Brings data to tasks apart from the object that all of them get. */
private[stoplog] trait Carrier {

  /** Called on the driver. */
  def carry(bytes: Array[Byte]): TaskPlans.Carried
}

/** One start of a query, from epoch to epoch. Called by the query's thread, one call at a time. */
private[stoplog] trait EngineRun[R, M] {

  /** Before the tasks of an epoch. */
  def begin(epoch: EpochStart): SinkWriterFactory[R, M]

  /** All tasks of the epoch are done. The engine repeats an epoch whose commit it has not seen return. */
  def commit(batch: Long, results: Seq[M]): Unit

  /** Called when a task failed, but also when a commit was interrupted, and while tasks still run. Undoes nothing that may
    * be decided (I5).
    */
  def abort(): Unit = ()

  /** The counts of the run, by name. */
  def counts: Seq[(String, Long)]
}

/** A batch job. */
private[stoplog] trait EngineJob[R, M] {

  /** @param slots how many tasks the job has */
  def begin(slots: Int): SinkWriterFactory[R, M]

  def commit(results: Seq[M]): Unit

  /** @param results of the tasks that are done */
  def abort(results: Seq[M]): Unit
}

/** Makes the writer of each task. Goes to the executors. */
private[stoplog] trait SinkWriterFactory[R, M] extends Serializable {

  /** `None` if the epoch is committed: the engine repeats an epoch whose commit it has not seen. */
  def writer(task: TaskAttempt): Option[SinkWriter[R, M]]
}

/** One attempt of one task.
  *
  * @param epoch        of a query; `None` in a batch job
  * @param partition    of the rows
  * @param attempt      how often this task failed before
  * @param stageAttempt how often its stage was repeated
  */
private[stoplog] final case class TaskAttempt(
    epoch: Option[Long],
    partition: Int,
    attempt: Int,
    stageAttempt: Int
)

/** The rows of one attempt of one task on their way into the target. Used by one thread. */
private[stoplog] trait SinkWriter[R, M] extends AutoCloseable {
  def write(row: R): Unit

  /** Returns when the rows of the task outlive it. */
  def commit(): M

  /** The task has failed, or was stopped. */
  def abort(): Unit

  /** After [[commit]] or [[abort]]. */
  override def close(): Unit

  /** The number of rows that the task has written so far. */
  def rows: Long

  /** The number of their bytes; `None` where the target does not tell. */
  def bytes: Option[Long] = None

  /** The counts of the sink's [[EngineSink.taskMetrics]], each a function that answers the count so far: the engine asks
    * every few rows, and no object is made for it then.
    */
  def counts: Seq[(TaskMetric, () => Long)]
}

/** A count of a task.
  *
  * @param name of the metric, unique among all sinks
  * @param text for users
  */
private[stoplog] final case class TaskMetric(name: String, text: String)
