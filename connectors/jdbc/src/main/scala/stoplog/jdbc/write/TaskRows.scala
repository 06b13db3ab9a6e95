// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import stoplog.jdbc.client.JdbcStep
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.{JdbcRow, RowBuffer, RowKey}
import stoplog.jdbc.staging.{StagingTable, TaskOutcome}
import stoplog.jdbc.table.Target

/** Writes the rows of a task to the database, batch by batch. Not thread-safe. */
private[jdbc] final class TaskRows private (
    access: TaskSession,
    target: Target,
    key: Option[RowKey],
    writer: BatchWriter,
    buffer: RowBuffer,
    rejects: Rejects
) extends AutoCloseable {
  private[this] val batches = new Batches(writer, access, target, rejects)

  def write(row: JdbcRow): Unit = target.refusal(row, key) match {
    case Some(why) => rejects.take(row, why)
    case None      =>
      buffer.add(row)
      if (buffer.isFull) batches.send(buffer.drain())
  }

  /** Returns after the database has stored all rows. */
  def finish(): TaskOutcome = {
    if (buffer.nonEmpty) batches.send(buffer.drain())
    batches.finish()
    val rejected = rejects.finish()
    access.faults.at(JdbcStep.TaskDone)
    TaskOutcome(writer.attempt, batches.sentRows, rejected, access.retries.count)
  }

  /** Ends the session, and deletes nothing (I5). */
  override def close(): Unit = access.session.close()
}

private[jdbc] object TaskRows {

  /** Sends rows by key. Only the last row of each key in a batch is sent, and batches are sent in order.
    * Therefore, the last accepted row of each key in a task remains in the table.
    *
    * @param key the key columns; with a version, the row with the greatest version remains
    */
  def upserts(
      access: TaskSession,
      target: Target,
      key: RowKey,
      batchRows: Int,
      rejects: Rejects
  ): TaskRows = {
    val buffer = new RowBuffer.LastOfEachKey(key, rejects.superseded, batchRows)
    new TaskRows(
      access,
      target,
      Some(key),
      new BatchWriter.ByKey(access.session, target, key),
      buffer,
      rejects
    )
  }

  /** Inserts rows directly into the table, in a transaction of the caller. */
  def inserts(access: TaskSession, target: Target, batchRows: Int, rejects: Rejects): TaskRows = {
    val buffer = new RowBuffer.InTurn(batchRows)
    new TaskRows(access, target, None, new BatchWriter.Inserting(access.session, target), buffer, rejects)
  }

  /** Stages rows under an attempt id. */
  def staged(
      access: TaskSession,
      target: Target,
      staging: StagingTable,
      attempt: String,
      batchRows: Int,
      rejects: Rejects
  ): TaskRows = {
    val buffer = new RowBuffer.InTurn(batchRows)
    new TaskRows(
      access,
      target,
      None,
      new BatchWriter.Staging(access.session, staging, attempt),
      buffer,
      rejects
    )
  }
}
