// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.util.{Iterator => JIterator}

import stoplog.commit.{BatchDigests, SinkIdentity}
import stoplog.error.Described
import stoplog.plan.TaskPlans
import stoplog.sink.BatchTimes

/** A sink, called by an engine's frame.
  *
  * The frame depends on the engine and translates its calls; for Spark the frame is
  * [[stoplog.spark.SinkTable]]. The sink depends on the target. The engine keeps one object for all runs and
  * jobs of a write.
  *
  * @tparam C the columns of rows in the engine's representation
  * @tparam R a row in the engine's representation; the engine reuses rows, so a sink MUST NOT keep a row
  * @tparam M the message of a completed task to the driver
  */
private[stoplog] trait EngineSink[C, R, M] {

  /** Returns the name for plans and messages. The frame removes secrets, and replaces a name that throws. */
  def name: String

  /** Returns the columns of the rows, if known before a write. */
  def columns: C

  /** Returns the written files for lineage tools; `None` if the target is not a directory of files. */
  def dataset: Option[Dataset] = None

  /** Returns where the files are written; `None` if the target is not a directory of files. */
  def output: Option[OutputFiles] = None

  /** Returns which writes may replace existing rows of the target. */
  def replacing: Replacing

  /** Returns the scope of the files that a job replaces. Options of the sink may restrict a job that Spark
    * announces as a job that replaces everything.
    *
    * Error: `STOPLOG_INVALID_OPTIONS` for options that contradict the call.
    */
  def scope(requested: Scope): Scope = requested

  /** Returns the counters of its tasks, summed by the engine. */
  def taskMetrics: Seq[TaskMetric]

  /** Returns the counters before the first epoch of a run. */
  def noCounts: Seq[(String, Long)]

  /** Plans a write, which the engine may not execute. Throws for invalid columns or unsupported writes. */
  def plan(request: WriteRequest[C]): EngineWrite[R, M]

  /** Checks the location of the query's checkpoint. Called at a start, as soon as the location is known.
    * Throws if the checkpoint would damage the target.
    */
  def checkpointedAt(location: String): Unit = ()

  /** Returns the committed rows that readers do not see yet, of all runs of the sink. */
  def unseen: Unseen = Unseen.nothing

  /** Executes the decisions of an earlier run of this query. Claims nothing, because the engine may still
    * reject the start.
    *
    * @return the number of the newest record; `None` if the query has no earlier run, or the sink keeps no
    *         state between runs
    */
  def resume(queryId: String): Option[Long] = None
}

private[stoplog] object EngineSink {

  /** Returns a name such as `stoplog[/data/out]`. The id of the sink follows after `#` unless the id is the
    * default. If the target contains `#`, the id always follows.
    */
  def nameOf(target: String, sinkId: String = SinkIdentity.DefaultSinkId): String =
    Described.named(
      if (sinkId == SinkIdentity.DefaultSinkId && !target.contains("#")) target else s"$target#$sinkId"
    )
}

/** The files of a sink.
  *
  * @param example the path of a file as the sink may write it, below the directory
  */
private[stoplog] final case class OutputFiles(directory: String, example: String)

/** Committed rows that readers do not see yet.
  *
  * @param parts the number of open parts, and of closed parts without their final name
  */
private[stoplog] final case class Unseen(parts: Long, rows: Long, bytes: Long)
private[stoplog] object Unseen {
  val nothing: Unseen = Unseen(0, 0, 0)
}

/** The writes that may replace existing rows of the target. */
private[stoplog] sealed trait Replacing
private[stoplog] object Replacing {
  case object Never extends Replacing

  /** In jobs, each [[Scope]]. */
  case object Partitions extends Replacing

  /** All rows in jobs, and all rows in each epoch of a query with the output mode `complete`. */
  case object Always extends Replacing
}

/** The handling of existing rows of the target. */
private[stoplog] sealed trait Existing
private[stoplog] object Existing {
  case object Keep                       extends Existing
  final case class Replace(scope: Scope) extends Existing
}

/** @param queryId the id of the query, or of the single job
  */
private[stoplog] final case class WriteRequest[C](columns: C, queryId: String, existing: Existing)

/** One planned write: the epochs of a query, or a batch job. */
private[stoplog] trait EngineWrite[R, M] {

  /** Returns the distribution of rows. `None` keeps rows in their tasks. */
  def distribution: Option[RowDistribution] = None

  /** Starts the query. Called in its first epoch, because the engine may reject the start before. */
  def start(start: RunStart): EngineRun[R, M]

  def job(): EngineJob[R, M]

  /** Returns the counters of a job, set by the driver. */
  def jobMetrics: Seq[TaskMetric] = Nil
}

/** The assignment of rows to tasks.
  *
  * @param clustering columns; rows with equal values in all of these columns are sent to the same task
  * @param tasks      the number of tasks; `None` for the engine's default
  * @param ordering   columns by which the rows of a task are sorted, ascending
  */
private[stoplog] final case class RowDistribution(
    clustering: Seq[String],
    tasks: Option[Int],
    ordering: Seq[String] = Nil
)

/** @param runId   the id of this start, different for each start
  * @param trigger the kind of the query's trigger
  */
private[stoplog] final case class RunStart(queryId: String, runId: String, trigger: QueryTrigger)

private[stoplog] sealed abstract class QueryTrigger(val word: String)
private[stoplog] object QueryTrigger {

  /** The query ends by itself after reading the existing data. */
  case object Finite extends QueryTrigger("finite")

  /** The query runs until stopped. */
  case object Continuous extends QueryTrigger("unending")

  /** The setting under which a log records the trigger of its last run, for tools. */
  val Noted = "trigger"
}

/** @param batch   the epoch's number
  * @param slots   the number of tasks
  * @param digests the digests of batches, if provided by the engine
  * @param carrier transfers large data to tasks of this epoch and of later epochs
  */
private[stoplog] final case class EpochStart(
    batch: Long,
    slots: Int,
    digests: BatchDigests,
    times: BatchTimes,
    carrier: Carrier
)

/** Transfers data to tasks separately from their shared factory object. */
private[stoplog] trait Carrier {

  /** Called on the driver. */
  def carry(bytes: Array[Byte]): TaskPlans.Carried
}

/** One start of a query, across epochs. Called by the query's thread, with one call at a time. */
private[stoplog] trait EngineRun[R, M] {

  /** Called before the tasks of an epoch. */
  def begin(epoch: EpochStart): SinkWriterFactory[R, M]

  /** Called after all tasks of the epoch. The engine repeats an epoch if this call did not return. */
  def commit(batch: Long, results: Seq[M]): Unit

  /** Called after a failed task, but also after an interrupted commit, and while tasks still run. MUST NOT
    * undo anything that may be decided (I5).
    */
  def abort(): Unit = ()

  /** Returns the counters of the run by name. */
  def counts: Seq[(String, Long)]
}

/** A batch job. */
private[stoplog] trait EngineJob[R, M] {

  /** @param slots the number of tasks
    */
  def begin(slots: Int): SinkWriterFactory[R, M]

  def commit(results: Seq[M]): Unit

  /** @param results the results of completed tasks
    */
  def abort(results: Seq[M]): Unit

  /** Returns the counters of a committed job, by the names in [[EngineWrite.jobMetrics]]. */
  def counts: Seq[(TaskMetric, Long)] = Nil
}

/** Creates the writer of each task. Serialized to the executors. */
private[stoplog] trait SinkWriterFactory[R, M] extends Serializable {

  /** `None` if the epoch is committed: the engine repeats epochs whose commit did not return. */
  def writer(task: TaskAttempt): Option[SinkWriter[R, M]]

  /** Whether the epoch is known to be committed. User code may prepare rows before a writer gets them. */
  def isCommitted(epoch: Long): Boolean = false
}

/** One attempt of one task.
  *
  * @param epoch        the epoch of a query; `None` in a batch job
  * @param partition    the partition of the rows
  * @param attempt      the number of earlier failures of this task
  * @param stageAttempt the number of earlier attempts of its stage
  */
private[stoplog] final case class TaskAttempt(
    epoch: Option[Long],
    partition: Int,
    attempt: Int,
    stageAttempt: Int
)

/** Writes the rows of one task attempt to the target. Used by one thread. */
private[stoplog] trait SinkWriter[R, M] extends AutoCloseable {
  def write(row: R): Unit

  /** Writes all rows of a task. A sink with a short path for each row overrides this method: the JVM compiles
    * a loop by the sinks that it has run.
    */
  def writeAll(rows: JIterator[R]): Unit = while (rows.hasNext) write(rows.next())

  /** Returns after the rows of the task are durable beyond the task. */
  def commit(): M

  /** Called when the task has failed or was stopped. */
  def abort(): Unit

  /** Called after [[commit]] or [[abort]]. */
  override def close(): Unit

  /** Returns the number of rows written so far. */
  def rows: Long

  /** Returns the number of bytes written so far. `None` if the target does not report bytes. */
  def bytes: Option[Long] = None

  /** Returns the counters for [[EngineSink.taskMetrics]]. Each counter is a function, because the engine
    * reads counters every few rows and must not allocate objects.
    */
  def counts: Seq[(TaskMetric, () => Long)]
}

/** A counter of a task.
  *
  * @param name the name of the metric, unique among all sinks
  * @param text the description for users
  */
private[stoplog] final case class TaskMetric(name: String, text: String)
