// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.collection.mutable

import stoplog.fault.{Faults, Step}

/** Puts rows into the staging table under an attempt's own id, numbered from 0 without a gap.
  *
  * @param attempt unique among all attempts of all tasks
  */
private[jdbc] final class StagedRows(
    session: Session,
    scope: BatchScope,
    retries: Retries,
    target: Target,
    staging: Staging,
    attempt: String,
    batchRows: Int,
    rejects: Rejects,
    faults: Faults
) extends TaskRows {
  private[this] val buffer = mutable.ArrayBuffer[JdbcRow]()
  private[this] var rows   = 0L

  private[this] val batches = new Batches(scope, target.dialect, faults, target.writeFailed)(
    send = (batch, before) => {
      // The try before may have been committed without an answer: its rows would be staged twice.
      if (before > 0) staging.removeFrom(session, attempt, rows)
      staging.insert(session, attempt, rows, batch)
    },
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
    val rejected = rejects.finish()
    faults.at(Step.JdbcTaskDone)
    TaskResult(attempt, rows, rejected, retries.count)
  }

  override def close(): Unit = session.close()

  private def flush(): Unit = {
    val batch = buffer.toVector
    buffer.clear()
    if (batch.nonEmpty) batches(batch)
  }
}
