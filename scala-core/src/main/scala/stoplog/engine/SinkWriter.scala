// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

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

  /** How many rows the task has written so far. */
  def rows: Long

  /** How many bytes these are; `None` where the target does not tell. */
  def bytes: Option[Long] = None

  /** The counts so far, of the sink's [[EngineSink.taskMetrics]]. */
  def counts: Seq[(TaskMetric, Long)]
}

/** A count of a task.
  *
  * @param name of the metric, unique among all sinks
  * @param text for users
  */
private[stoplog] final case class TaskMetric(name: String, text: String)
