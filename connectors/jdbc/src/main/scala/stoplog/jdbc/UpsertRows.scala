// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

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
