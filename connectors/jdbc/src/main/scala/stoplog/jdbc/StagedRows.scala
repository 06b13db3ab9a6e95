// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

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
