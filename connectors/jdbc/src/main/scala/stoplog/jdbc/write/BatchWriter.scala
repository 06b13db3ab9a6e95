// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import stoplog.jdbc.client.{Columnwise, FailureKind, Session, UpsertKey, Upserts}
import stoplog.jdbc.rows.{JdbcRow, RowKey}
import stoplog.jdbc.staging.StagingTable
import stoplog.jdbc.table.Target

/** Writes batches of a task's rows to a table. Not thread-safe. */
private[jdbc] trait BatchWriter {

  /** The attempt under which rows are staged; empty if rows are written directly to the target. */
  def attempt: String = ""

  /** Writes rows within the current [[BatchScope]].
    *
    * @param first  the number of the task's rows in earlier successful batches
    * @param before the number of previous attempts
    */
  def send(batch: IndexedSeq[JdbcRow], first: Long, before: Int): Unit

  /** True if a row may be written after later rows. */
  def anyOrder: Boolean = false

  /** Returns true if a row that was rejected for this reason may be accepted on a retry, because another
    * transaction may have been first.
    */
  def races(refused: Throwable): Boolean = false
}

private[jdbc] object BatchWriter {

  /** Sends rows by key. A batch contains one row of each key.
    *
    * @param key the key columns, and the version
    */
  final class ByKey(session: Session, target: Target, key: RowKey) extends BatchWriter {
    private[this] val keyColumns = UpsertKey(
      key.columns.map(target.columns(_).quoted),
      key.version.map(target.columns(_).quoted)
    )
    private[this] val upsert =
      target.dialect.upsert(target.table, target.columns.map(_.quoted), keyColumns)
    private[this] val many = target.dialect.upsertMany(target.table, target.columns, keyColumns)

    override def send(batch: IndexedSeq[JdbcRow], first: Long, before: Int): Unit =
      if (batch.sizeIs == 1 || !many.exists(sendTogether(_, batch)))
        upsert.execute(session, target.columns, batch)

    override def races(refused: Throwable): Boolean =
      target.dialect.insertsBlindly && FailureKind.isDuplicateKey(refused)

    private def sendTogether(many: Columnwise, batch: IndexedSeq[JdbcRow]): Boolean = {
      val statement = session.statement(many.sql)
      many.bind(statement, batch) && {
        statement.executeUpdate()
        true
      }
    }
  }

  /** Inserts rows directly into the table, in a transaction of the caller. */
  final class Inserting(session: Session, target: Target) extends BatchWriter {
    private[this] val insertion = Upserts.insertion(target.table, target.columns.map(_.quoted))

    override def anyOrder: Boolean = true

    override def send(batch: IndexedSeq[JdbcRow], first: Long, before: Int): Unit =
      insertion.execute(session, target.columns, batch)
  }

  /** Inserts rows into the staging table under a unique attempt id, numbered from 0 without gaps.
    *
    * @param attempt unique among all attempts of all tasks
    */
  final class Staging(session: Session, staging: StagingTable, override val attempt: String)
      extends BatchWriter {
    override def send(batch: IndexedSeq[JdbcRow], first: Long, before: Int): Unit = {
      // The previous attempt may have been committed without a response: its rows would be staged twice.
      if (before > 0) staging.removeFrom(session, attempt, first)
      staging.insert(session, attempt, first, batch)
    }
  }
}
