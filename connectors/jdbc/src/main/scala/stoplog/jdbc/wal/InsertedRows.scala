// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import stoplog.fault.Faults
import stoplog.jdbc._

/** Puts rows into the table itself, within a transaction of the caller. */
private[wal] final class InsertedRows(session: Session, target: Target, batchRows: Int, rejects: Rejects)
    extends TaskRows(
      new RowBuffer.InTurn(batchRows, _),
      new BatchScope.WithinTransaction(session),
      target,
      rejects,
      Faults.none
    ) {
  private[this] val insertion = Upserts.insertion(target.table, target.columns.map(_.quoted))

  /** The session is the caller's. */
  override def close(): Unit = ()

  override protected def send(batch: IndexedSeq[JdbcRow], before: Int): Unit =
    insertion.execute(session, target.columns, batch)

  override protected def result(rows: Long, rejects: Long): TaskOutcome =
    TaskOutcome(attempt = "", rows, rejects, retries = 0)
}
