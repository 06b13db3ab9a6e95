// SPDX-License-Identifier: Apache-2.0
package stoplog.sink

import stoplog.error.StoplogException
import stoplog.part.RunId

/** A sink of a system that can hold rows back until a commit. The system accepts the commit from another
  * process than the writer of the rows.
  *
  * stoplog adds a log in which one record decides each epoch, and a claim that fences older drivers. stoplog
  * also repeats commits after failures, and removes output that no record names. So each row is visible
  * exactly once, as long as the system keeps prepared output.
  *
  * In one epoch each task [[TwoPhaseWriter.write writes]] its rows and then
  * [[TwoPhaseWriter.prepare prepares]] the rows. The driver appends a record with the prepared output of all
  * tasks, commits the output with the [[TwoPhaseCommitter]], and marks the record. A process may die between
  * any two of these steps.
  *
  * The sink is serialized to the executors. `docs/beyond-files/own-sink.md` has a complete example.
  *
  * @tparam R a row of the engine; the engine reuses the object, so the sink must not keep a row
  */
trait TwoPhaseSink[R] extends Serializable {

  /** Returns the target of the rows, for messages: `topic orders at broker:9092`. */
  def target: String

  /** Returns the kind of the sink, constant over restarts and releases. The log contains the kind. A sink of
    * another kind is rejected, because it cannot commit the output in the log. Default: the name of the
    * class.
    */
  def kind: String = getClass.getName

  /** Creates the writer for one attempt of one task. Called on the executor, at the first row. */
  def writer(task: WriterTask): TwoPhaseWriter[R]

  /** Creates the committer of the prepared output: one for each start of a query, and one for each start that
    * finds an earlier start. Called on the driver.
    */
  def committer(): TwoPhaseCommitter
}

/** One attempt of one task. No two attempts of one run have equal numbers.
  *
  * @param run          one start of the query
  * @param epoch        the micro-batch; `None` in a batch query
  * @param partition    the partition of the rows; the number of partitions may differ between epochs, and
  *                     when an epoch is repeated
  * @param attempt      how often this task failed before
  * @param stageAttempt how often its stage was repeated
  * @param times        the times of the micro-batch
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

/** Writes the rows of one attempt of one task. Used by one thread. */
trait TwoPhaseWriter[-R] extends AutoCloseable {

  /** Writes a row, which stays invisible to readers. */
  def write(row: R): Unit

  /** Makes all rows durable, so that another process can commit the rows. Called once; no row is written
    * afterwards.
    *
    * @return usually one element; empty if there is nothing to commit
    */
  def prepare(): Vector[Prepared]

  /** Called if the task has failed or was stopped, and no driver has received its prepared output. Undoes
    * output as far as possible at once; recovery finds the remainder.
    */
  def abort(): Unit

  /** Releases resources; called after [[prepare]] or [[abort]]. Prepared output stays. */
  override def close(): Unit
}

/** The prepared output of a target, which readers do not see before a record of the commit log names it.
  *
  * The target is a [[TwoPhaseCommitter]] or a [[stoplog.storage.PartStore]].
  */
trait StagedOutput extends AutoCloseable {

  /** Throws if output prepared under these tokens is known to be gone. Called before a record decides on the
    * tokens. A record with missing output could never be carried out; without the record, the epoch fails and
    * is written again. By default does nothing, for targets that keep prepared output until a commit or an
    * abort.
    */
  def refuseLost(tokens: Seq[String]): Unit = ()

  /** Returns all prepared or half-prepared, uncommitted output of this sink, named in a record or not. */
  def staged(): Vector[Staged]

  /** Returns the tokens in [[staged]] of output prepared under this token: for most sinks the same token. */
  def stagedOf(token: String): Set[String] = Set(token)

  /** Returns whether output prepared under this token is still staged, and so can be committed. Called
    * directly before the commit of a compacted part. A target that can check without a listing should
    * override this method.
    */
  def isStaged(token: String): Boolean = {
    val names = stagedOf(token)
    staged().exists(found => names(found.token))
  }

  /** Releases resources; no other method is called afterwards. */
  override def close(): Unit = ()
}

/** The driver's half of a sink with two-phase commits. Carries out the decisions of records in the commit
  * log, and undoes output that no record names.
  *
  * A committer never decides. [[stoplog.commit.SinkDriver]] decides with one record for each epoch, and calls
  * the committer. The brokers of a message queue with transactions have a committer, for example.
  */
trait TwoPhaseCommitter extends StagedOutput {

  /** Makes the prepared output of a task visible. MUST be idempotent, from any process and for any number of
    * calls (I3).
    *
    * Called again after every failure with an unknown outcome, and by each start until the record is marked.
    * So the committer MUST distinguish committed output from lost output.
    *
    * Errors: those of the target. `STOPLOG_STORE_WRITE` and `STOPLOG_UNKNOWN_OUTCOME` are retried up to three
    * times. Any other error ends the query, and its next start first repeats the commit.
    */
  def commit(prepared: Prepared): CommitOutcome

  /** Called before the tasks of the first epoch of a run, or of a batch job, whose output this committer
    * commits. Other committers only recover.
    */
  private[stoplog] def beforeTasks(): Unit = ()

  /** Returns counters of the committed output, by name. */
  private[stoplog] def counts: Seq[(String, Long)] = Nil

  /** Returns the error for lost output of a record, in the terms of the target. `None`, the default, means
    * `STOPLOG_PART_LOST`, in the terms of files.
    *
    * @param gone      the output for which [[commit]] returned `Lost`, not empty; no other process has seen
    *                  this output
    * @param committed the number of the record's other outputs
    */
  private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = None

  /** Undoes staged output that no record names (I5: only recovery calls this, with the claim held). MUST NOT
    * fail if the output is gone.
    */
  def abort(token: String): Unit
}

/** The output of one task of an epoch, durable and not visible to any reader.
  *
  * @param name  unique in this sink, for messages and for tables of the sink's state
  * @param token all data that another process needs for the commit. The token has no meaning to other code,
  *              and the commit log contains the token unchanged
  * @param rows  the number of rows
  * @param bytes the number of bytes, if known to the target
  */
final case class Prepared(name: String, token: String, rows: Long, bytes: Long)

/** Prepared or half-prepared output.
  *
  * @param modifiedAtMillis when its writer last added to the output. Output younger than eleven minutes is
  *                         not undone: its writer may be an executor that lost its driver and is still at
  *                         work. 0 for output that can be undone at once, because the target fences such a
  *                         writer
  */
final case class Staged(token: String, modifiedAtMillis: Long)

/** The outcome of a successful commit. */
sealed trait CommitOutcome
object CommitOutcome {

  /** This call made the output visible. */
  case object Committed extends CommitOutcome

  /** The output was visible already. */
  case object AlreadyCommitted extends CommitOutcome

  /** The output is gone, and was never visible: its rows are lost unless written again. */
  case object Lost extends CommitOutcome
}

/** The times of a micro-batch in the checkpoint. Spark writes the times before the batch starts, so the times
  * are the same each time the batch is repeated. Milliseconds since 1970-01-01T00:00:00Z.
  *
  * @param startedAtMillis when Spark planned the batch
  * @param watermarkMillis the time up to which the query considers its rows complete. `None` in a query
  *                        without `withWatermark`, and until the first watermark, which the second batch with
  *                        rows has
  */
final case class BatchTimes(startedAtMillis: Option[Long], watermarkMillis: Option[Long])

object BatchTimes {

  /** The times of a batch query, and of a checkpoint that cannot be read. */
  val unknown: BatchTimes = BatchTimes(None, None)
}
