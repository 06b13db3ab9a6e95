// SPDX-License-Identifier: Apache-2.0
package stoplog.sink

import stoplog.part.RunId

/** A sink of a system that can hold rows back until they are committed, and can be told to commit them by another
  * process than the one that wrote them.
  *
  * stoplog gives it the rest: a log in which one record decides each epoch, a claim that keeps older drivers out, the
  * repeated commit after a failure, and the clearing away of what no record names. So each row is visible exactly once,
  * as long as the system keeps what is prepared.
  *
  * In one epoch each task [[TwoPhaseWriter.write writes]] its rows and then [[TwoPhaseWriter.prepare prepares]] them;
  * the driver appends a record with what all tasks have prepared, has the [[TwoPhaseCommitter]] commit it, and marks
  * the record. A process may die between any two of these.
  *
  * Goes to the executors. `docs/beyond-files/own-sink.md` has a whole example.
  *
  * @tparam R a row, as the engine has it; it is reused, so it must not be kept
  */
trait TwoPhaseSink[R] extends Serializable {

  /** The target of the rows, for messages: `topic orders at broker:9092`. */
  def target: String

  /** The writer of the rows of one attempt of one task. Called on the executor, when there is a row. */
  def writer(task: WriterTask): TwoPhaseWriter[R]

  /** The committer of those rows: one for each start of a query, and one for each start that finds an earlier one.
    * Called on the driver.
    */
  def committer(): TwoPhaseCommitter
}

/** One attempt of one task. No two attempts of one run have all the same numbers.
  *
  * @param run          one start of the query
  * @param epoch        the micro-batch; `None` in a batch query
  * @param partition    of the rows. How many there are may differ from epoch to epoch, and when an epoch is repeated
  * @param attempt      how often this task failed before
  * @param stageAttempt how often its stage was repeated
  * @param times        of the micro-batch
  */
final case class WriterTask(
    run: RunId,
    sinkId: String,
    epoch: Option[Long],
    partition: Int,
    attempt: Int,
    stageAttempt: Int,
    times: BatchTimes = BatchTimes.unknown
)

/** The rows of one attempt of one task. Used by one thread. */
trait TwoPhaseWriter[-R] extends AutoCloseable {

  /** Takes a row, so that no reader sees it. */
  def write(row: R): Unit

  /** Makes all rows durable, so that another process can commit them. Called once, and nothing is written afterwards.
    *
    * @return usually one; none if there is nothing to commit
    */
  def prepare(): Vector[Prepared]

  /** The task has failed, or was stopped, and no driver has heard of what it prepared. Undoes what it can undo at once;
    * recovery finds the rest.
    */
  def abort(): Unit

  /** Frees what it holds; after [[prepare]] or [[abort]]. What is prepared stays. */
  override def close(): Unit
}
