// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.wal

import scala.collection.mutable

import stoplog.fault.Faults
import stoplog.jdbc._

/** Puts rows into the table itself, within a transaction of the caller. */
private[wal] final class InsertedRows(
    session: Session,
    target: Target,
    batchRows: Int,
    rejects: Rejects
) extends TaskRows {
  private[this] val insert = Upserts.insert(target.table, target.columns.map(_.quoted))
  private[this] val buffer = mutable.ArrayBuffer[JdbcRow]()
  private[this] var rows   = 0L

  private[this] val batches = new Batches(
    new BatchScope.WithinTransaction(session),
    target.dialect,
    Faults.none,
    target.writeFailed
  )(
    send = (batch, _) => execute(batch),
    sent = batch => rows += batch.size,
    bad = rejects.take
  )

  override def write(row: JdbcRow): Unit = {
    buffer += row
    if (buffer.size >= batchRows) flush()
  }

  override def reject(row: JdbcRow, why: Throwable): Unit = rejects.take(row, why)

  override def finish(): TaskResult = {
    flush()
    TaskResult(attempt = "", rows, rejects.finish(), retries = 0)
  }

  /** The session is the caller's. */
  override def close(): Unit = ()

  private def flush(): Unit = {
    val batch = buffer.toVector
    buffer.clear()
    if (batch.nonEmpty) batches(batch)
  }

  private def execute(batch: IndexedSeq[JdbcRow]): Unit = {
    val statement = session.statement(insert)
    Batches.execute(statement, batch) { row =>
      var i = 0
      while (i < target.columns.length) {
        target.columns(i).bind(statement, i + 1, row.values(i))
        i += 1
      }
    }
  }
}
