// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.fault.Faults

/** The rows of one task on their way into the database, batch by batch. Not for several threads.
  *
  * @param gathering makes the buffer of batches, told what takes one
  */
private[jdbc] abstract class TaskRows(access: TaskSession, target: Target, rejects: Rejects)(
    gathering: (IndexedSeq[JdbcRow] => Unit) => RowBuffer
) extends AutoCloseable {
  private[this] var inDatabase = 0L

  private[this] val batches = new Batches(access.scope, target.dialect, access.faults, target.writeFailed)(
    send = send,
    sent = batch => inDatabase += batch.size,
    races = races,
    bad = rejects.take
  )

  private[this] val buffer = gathering(batches(_))

  def write(row: JdbcRow): Unit = buffer.add(row)

  /** Returns when the database has all of them. */
  final def finish(): TaskOutcome = {
    buffer.flush()
    val rejected = rejects.finish()
    access.faults.at(JdbcStep.TaskDone)
    TaskOutcome(attempt, inDatabase, rejected, access.retries.count)
  }

  /** Ends the session, and deletes nothing (I5). */
  override def close(): Unit = access.session.close()

  /** Under which rows are staged; empty where they go into the target at once. */
  protected def attempt: String = ""

  /** The rows of batches that have ended well. */
  protected final def sentRows: Long = inDatabase

  /** Puts rows into the database within the scope.
    *
    * @param before how many tries were before it
    */
  protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit

  /** Whether the reason for which the database refused a row may be another transaction that was first. */
  protected def races(refused: Throwable): Boolean = false
}

/** A task's way to the database.
  *
  * @param scope in which a batch is in the database as a whole or not at all
  */
private[jdbc] final case class TaskSession(
    session: Session,
    scope: BatchScope,
    retries: Retries,
    faults: Faults
)

/** The message of a task to the driver.
  *
  * @param attempt under which its rows are staged
  * @param rows    in the target, or staged for it
  * @param rejects rows in the reject table, or staged for it
  * @param retries how often something was tried again
  */
private[jdbc] final case class TaskOutcome(attempt: String, rows: Long, rejects: Long, retries: Long)

/** The transaction, or the part of one, in which a batch of rows is in the database as a whole or not at all. */
private[jdbc] trait BatchScope {

  /** @param work is told how many tries were before it */
  def apply(work: Int => Unit): Unit
}

private[jdbc] object BatchScope {

  /** A transaction for each batch, tried again as long as its failure may pass.
    *
    * @param failed makes the error when it does not
    */
  final class OwnTransaction(session: Session, retries: Retries, failed: Throwable => Throwable)
      extends BatchScope {
    override def apply(work: Int => Unit): Unit =
      retries(failed)(before => session.transaction(_ => work(before)))
  }

  /** A part of the transaction under way. The code that has begun that transaction repeats all of it. */
  final class WithinTransaction(session: Session) extends BatchScope {
    override def apply(work: Int => Unit): Unit = session.savepoint(work(0))
  }
}

/** Sends rows by key. Of rows with one key in a batch only the last is sent; batches are sent in turn, so that of all
  * rows of a task the last one of each key stays that the table takes.
  *
  * @param keys the places of the key columns
  */
private[jdbc] final class UpsertRows(
    access: TaskSession,
    target: Target,
    keys: Array[Int],
    batchRows: Int,
    rejects: Rejects
) extends TaskRows(access, target, rejects)(
      new RowBuffer.LastOfEachKey(keys, rejects.superseded, batchRows, _)
    ) {
  private[this] val keyColumns = keys.toSeq.map(target.columns(_).quoted)
  private[this] val upsert     =
    target.dialect.upsert(target.table, target.columns.map(_.quoted), keyColumns)
  private[this] val many = target.dialect.upsertMany(target.table, target.columns, keyColumns)

  override def write(row: JdbcRow): Unit =
    keys.find(row.values(_) == null) match {
      case Some(key) => rejects.take(row, JdbcErrors.nullKey(target.table, target.columns(key).name))
      case None      => super.write(row)
    }

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit =
    if (batch.sizeIs == 1 || !many.exists(sendTogether(_, batch)))
      upsert.execute(access.session, target.columns, batch)

  override protected def races(refused: Throwable): Boolean =
    target.dialect.insertsBlindly && Verdict.isDuplicateKey(refused)

  private def sendTogether(many: Columnwise, batch: IndexedSeq[JdbcRow]): Boolean = {
    val statement = access.session.statement(many.sql)
    many.bind(statement, batch) && {
      statement.executeUpdate()
      true
    }
  }
}

/** Inserts rows into the table itself, within a transaction of the caller. */
private[jdbc] final class InsertedRows(access: TaskSession, target: Target, batchRows: Int, rejects: Rejects)
    extends TaskRows(access, target, rejects)(new RowBuffer.InTurn(batchRows, _)) {
  private[this] val insertion = Upserts.insertion(target.table, target.columns.map(_.quoted))

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit =
    insertion.execute(access.session, target.columns, batch)
}

/** Puts rows into the staging table under an attempt's own id, numbered from 0 without a gap.
  *
  * @param attempt unique among all attempts of all tasks
  */
private[jdbc] final class StagedRows(
    access: TaskSession,
    target: Target,
    staging: StagingTable,
    override protected val attempt: String,
    batchRows: Int,
    rejects: Rejects
) extends TaskRows(access, target, rejects)(new RowBuffer.InTurn(batchRows, _)) {
  import access.session

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit = {
    // The try before may have been committed without an answer: its rows would be staged twice.
    if (before > 0) staging.removeFrom(session, attempt, sentRows)
    staging.insert(session, attempt, sentRows, batch)
  }
}
