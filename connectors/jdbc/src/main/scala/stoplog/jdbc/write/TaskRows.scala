// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import stoplog.jdbc.client.{Columnwise, FailureKind, JdbcErrors, JdbcStep, Upserts}
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.{JdbcRow, RowBuffer}
import stoplog.jdbc.staging.{StagingTable, TaskOutcome}
import stoplog.jdbc.target.Target

/** Writes the rows of a task to the database, batch by batch. Not thread-safe.
  *
  * @param gathering creates the buffer from the function that accepts a batch
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

  /** Returns after the database has stored all rows. */
  final def finish(): TaskOutcome = {
    buffer.flush()
    val rejected = rejects.finish()
    access.faults.at(JdbcStep.TaskDone)
    TaskOutcome(attempt, inDatabase, rejected, access.retries.count)
  }

  /** Ends the session, and deletes nothing (I5). */
  override def close(): Unit = access.session.close()

  /** The attempt under which rows are staged; empty if rows are written directly to the target. */
  protected def attempt: String = ""

  /** The number of rows in successful batches. */
  protected final def sentRows: Long = inDatabase

  /** Writes rows to the database within the scope.
    *
    * @param before the number of previous attempts
    */
  protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit

  /** Whether the database may have rejected a row because another transaction was first. */
  protected def races(refused: Throwable): Boolean = false
}

/** Sends rows by key. Only the last row of each key in a batch is sent, and batches are sent in order.
  * Therefore, the last accepted row of each key in a task remains in the table.
  *
  * @param keys the indices of the key columns
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
    target.dialect.insertsBlindly && FailureKind.isDuplicateKey(refused)

  private def sendTogether(many: Columnwise, batch: IndexedSeq[JdbcRow]): Boolean = {
    val statement = access.session.statement(many.sql)
    many.bind(statement, batch) && {
      statement.executeUpdate()
      true
    }
  }
}

/** Inserts rows directly into the table, in a transaction of the caller. */
private[jdbc] final class InsertedRows(access: TaskSession, target: Target, batchRows: Int, rejects: Rejects)
    extends TaskRows(access, target, rejects)(new RowBuffer.InTurn(batchRows, _)) {
  private[this] val insertion = Upserts.insertion(target.table, target.columns.map(_.quoted))

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit =
    insertion.execute(access.session, target.columns, batch)
}

/** Inserts rows into the staging table under a unique attempt id, numbered from 0 without gaps.
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
    // The previous attempt may have been committed without a response: its rows would be staged twice.
    if (before > 0) staging.removeFrom(session, attempt, sentRows)
    staging.insert(session, attempt, sentRows, batch)
  }
}
