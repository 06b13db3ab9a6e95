// SPDX-License-Identifier: Apache-2.0
package stoplog.sink

import stoplog.error.StoplogException
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

  /** The kind of the sink, the same over restarts and releases. The log contains the kind, and a sink of another kind is
    * refused: it cannot commit what the log names. By default the name of the class.
    */
  def kind: String = getClass.getName

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

/** The driver's half of a sink that commits in two phases: it carries out what a record of the commit log has decided,
  * and undoes what no record names.
  *
  * It never decides. [[stoplog.commit.SinkDriver]] does, with one record for each epoch, and asks for what follows. The
  * stores of files are such committers, and so are the brokers of a message queue that has transactions.
  */
trait TwoPhaseCommitter extends AutoCloseable {

  /** Throws if something that was prepared under these tokens is known to be gone. Asked before a record decides on them: one
    * that names what is gone could never be carried out, while without it the epoch fails, and is written again. Asks
    * nothing, the default, where what is prepared stays until it is committed or aborted.
    */
  def refuseLost(tokens: Seq[String]): Unit = ()

  /** Makes visible what a task has prepared: idempotent, from any process, as often as it is asked (I3).
    *
    * It is asked again after every failure with an unknown outcome, and by each start until the record is marked. So
    * it must tell what is committed already from what was lost.
    *
    * Errors: those of the target. `STOPLOG_STORE_WRITE` and `STOPLOG_UNKNOWN_OUTCOME` are tried again up to three times;
    * anything else ends the query, and its next start commits first of all.
    */
  def commit(prepared: Prepared): CommitOutcome

  /** The error for what is gone of a record, in the words of the target; by default it is `STOPLOG_PART_LOST`, in those of files.
    *
    * @param gone      of which [[commit]] answered so, one or more; no other process knows better
    * @param committed how many others the record names
    */
  private[stoplog] def lost(gone: Seq[Prepared], committed: Int): Option[StoplogException] = None

  /** Everything that is prepared or half prepared and not committed, named in a record or not, as far as it belongs to
    * this sink.
    */
  def staged(): Vector[Staged]

  /** The tokens under which [[staged]] lists what was prepared under this one: for most sinks the same. */
  def stagedOf(token: String): Set[String] = Set(token)

  /** Whether what was prepared under this token is still staged, so that it can be committed. Asked right before the part of
    * a merge is committed; a target that can tell without a listing should.
    */
  def isStaged(token: String): Boolean = {
    val names = stagedOf(token)
    staged().exists(found => names(found.token))
  }

  /** Undoes something staged that no record names (I5: only recovery calls this, with the claim held). Undoing what is
    * gone is no error.
    */
  def abort(token: String): Unit

  /** Nothing more is asked. */
  override def close(): Unit = ()
}

/** The output of one task of an epoch, durable and not visible to any reader.
  *
  * @param name  unique in this sink, for messages and for the tables that show its state
  * @param token all that another process needs to commit it. It means nothing to other code, and goes into the commit
  *              log as it is
  * @param rows  how many
  * @param bytes how many, as far as the target tells
  */
final case class Prepared(name: String, token: String, rows: Long, bytes: Long)

/** Something prepared or half prepared.
  *
  * @param modifiedAtMillis when its writer last added to it. What is younger than eleven minutes is left alone, because
  *                         its writer may be an executor that lost its driver and is still at work; 0 for what can be
  *                         undone at once, because the target keeps such a writer out
  */
final case class Staged(token: String, modifiedAtMillis: Long)

/** The outcome of a commit that did not fail. */
sealed trait CommitOutcome
object CommitOutcome {

  /** This call made it visible. */
  case object Committed extends CommitOutcome

  /** It was visible already. */
  case object AlreadyCommitted extends CommitOutcome

  /** It is gone, and was never visible: its rows are lost unless they are written again. */
  case object Lost extends CommitOutcome
}

/** The times of a micro-batch, as Spark has written them into the checkpoint before it began: the same each time it is
  * repeated. Milliseconds since 1970-01-01T00:00:00Z.
  *
  * @param startedAtMillis when Spark planned it
  * @param watermarkMillis up to which time the query takes its rows to be complete; `None` in a query without
  *                        `withWatermark`, and until the first watermark, which the second batch with rows has
  */
final case class BatchTimes(startedAtMillis: Option[Long], watermarkMillis: Option[Long])

object BatchTimes {

  /** Of a batch query, and where the checkpoint cannot be read. */
  val unknown: BatchTimes = BatchTimes(None, None)
}
