// SPDX-License-Identifier: Apache-2.0
package stoplog.sink

/** The driver's half of a sink that commits in two phases: it carries out what a record of the commit log has decided,
  * and undoes what no record names.
  *
  * It never decides. [[stoplog.commit.SinkDriver]] does, with one record for each epoch, and asks for what follows. The
  * stores of files are such committers, and so are the brokers of a message queue that has transactions.
  */
trait TwoPhaseCommitter extends AutoCloseable {

  /** Makes visible what a task has prepared: idempotent, from any process, as often as it is asked (I3).
    *
    * It is asked again after every failure with an unknown outcome, and by each start until the record is marked. So
    * it must tell what is committed already from what was lost.
    *
    * Errors: those of the target. `STOPLOG_STORE_WRITE` and `STOPLOG_UNKNOWN_OUTCOME` are tried again up to three times;
    * anything else ends the query, and its next start commits first of all.
    */
  def commit(prepared: Prepared): CommitOutcome

  /** Everything that is prepared or half prepared and not committed, named in a record or not, as far as it belongs to
    * this sink.
    */
  def staged(): Vector[Staged]

  /** The tokens under which [[staged]] lists what was prepared under this one: for most sinks the same. */
  def stagedOf(token: String): Set[String] = Set(token)

  /** Whether anything of what was prepared under this token is still staged. Asked right before the part of a merge is
    * committed; a target that can tell without a listing should.
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

/** How committing ended, when it did not fail. */
sealed trait CommitOutcome
object CommitOutcome {

  /** This call made it visible. */
  case object Committed extends CommitOutcome

  /** It was visible already. */
  case object AlreadyCommitted extends CommitOutcome

  /** It is gone, and was never visible: its rows are lost unless they are written again. */
  case object Lost extends CommitOutcome
}
