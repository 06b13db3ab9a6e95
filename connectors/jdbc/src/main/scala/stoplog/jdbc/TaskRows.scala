// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import stoplog.fault.Faults

/** The rows of one task on their way into the database, batch by batch. Not for several threads.
  *
  * @param gathering makes the buffer of batches, told what takes one
  * @param scope     in which a batch is in the database as a whole or not at all
  */
private[jdbc] abstract class TaskRows(
    gathering: (IndexedSeq[JdbcRow] => Unit) => RowBuffer,
    scope: BatchScope,
    target: Target,
    rejects: Rejects,
    faults: Faults
) extends AutoCloseable {
  private[this] var inDatabase = 0L

  private[this] val batches = new Batches(scope, target.dialect, faults, target.writeFailed)(
    send = send,
    sent = batch => inDatabase += batch.size,
    bad = rejects.take
  )

  private[this] val buffer = gathering(batches(_))

  def write(row: JdbcRow): Unit = buffer.add(row)

  /** A row that is known to be bad before the database has seen it. */
  final def reject(row: JdbcRow, why: Throwable): Unit = rejects.take(row, why)

  /** Returns when the database has all of them. */
  final def finish(): TaskOutcome = {
    buffer.flush()
    val rejected = rejects.finish()
    faults.at(JdbcStep.TaskDone)
    result(inDatabase, rejected)
  }

  /** Deletes nothing (I5). */
  override def close(): Unit

  /** How many rows of batches that have ended well. */
  protected final def sentRows: Long = inDatabase

  /** Puts rows into the database within the scope.
    *
    * @param before how many tries were before it
    */
  protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit

  protected def result(rows: Long, rejects: Long): TaskOutcome
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

/** What a task tells the driver.
  *
  * @param attempt under which its rows are staged
  * @param rows    in the target, or staged for it
  * @param rejects rows in the reject table, or staged for it
  * @param retries how often something was tried again
  */
private[jdbc] final case class TaskOutcome(attempt: String, rows: Long, rejects: Long, retries: Long)

/** In which a batch of rows is in the database as a whole or not at all. */
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

  /** A part of the transaction under way. Whoever has begun that tries all of it again. */
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
) extends TaskRows(
      new RowBuffer.LastOfEachKey(keys, rejects.superseded, batchRows, _),
      access.scope,
      target,
      rejects,
      access.faults
    ) {
  import access.session

  private[this] val keyColumns = keys.toSeq.map(target.columns(_).quoted)
  private[this] val upsert     =
    target.dialect.upsert(target.table, target.columns.map(_.quoted), keyColumns)
  private[this] val many = target.dialect.upsertMany(target.table, target.columns, keyColumns)

  override def write(row: JdbcRow): Unit =
    keys.find(row.values(_) == null) match {
      case Some(key) => reject(row, JdbcErrors.nullKey(target.table, target.columns(key).name))
      case None      => super.write(row)
    }

  override def close(): Unit = session.close()

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit =
    if (batch.sizeIs == 1 || !many.exists(sendTogether(_, batch)))
      upsert.execute(session, target.columns, batch)

  private def sendTogether(many: Columnwise, batch: IndexedSeq[JdbcRow]): Boolean = {
    val statement = session.statement(many.sql)
    many.bind(statement, batch) && {
      statement.executeUpdate()
      true
    }
  }

  override protected def result(rows: Long, rejects: Long): TaskOutcome =
    TaskOutcome(attempt = "", rows, rejects, access.retries.count)
}

/** Puts rows into the staging table under an attempt's own id, numbered from 0 without a gap.
  *
  * @param attempt unique among all attempts of all tasks
  */
private[jdbc] final class StagedRows(
    access: TaskSession,
    target: Target,
    staging: StagingTable,
    attempt: String,
    batchRows: Int,
    rejects: Rejects
) extends TaskRows(new RowBuffer.InTurn(batchRows, _), access.scope, target, rejects, access.faults) {
  import access.session

  override def close(): Unit = session.close()

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit = {
    // The try before may have been committed without an answer: its rows would be staged twice.
    if (before > 0) staging.removeFrom(session, attempt, sentRows)
    staging.insert(session, attempt, sentRows, batch)
  }

  override protected def result(rows: Long, rejects: Long): TaskOutcome =
    TaskOutcome(attempt, rows, rejects, access.retries.count)
}
