// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.control.NonFatal

/** Makes the sink's own tables where they are missing. */
private[jdbc] final class OwnTables(session: Session, retries: Retries, target: Target) {

  /** Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(table: String, create: String): Unit = once { () =>
    if (!exists(table))
      try execute(create)
      // Another driver may have been first.
      catch { case NonFatal(e) => if (!exists(table)) throw refused(table, e) }
  }

  /** Error: `STOPLOG_JDBC_OWN_TABLE`, also for a table that lacks a column. */
  def ensure(epochs: EpochsTable): Unit = {
    ensure(epochs.table, epochs.create)
    once { () =>
      if (answers(epochs.shape).isEmpty)
        throw JdbcErrors.ownTable(
          epochs.table,
          target.database,
          new IllegalStateException(
            s"it has no column last_batch. Add it: ALTER TABLE ${epochs.table} ADD last_batch VARCHAR(64)"
          )
        )
    }
  }

  /** A staging table that was made for other columns is made anew: what is in it, no live run has written. */
  def ensure(staging: StagingTable): Unit = {
    once(() => if (exists(staging.table) && !fits(staging)) execute(s"DROP TABLE ${staging.table}"))
    ensure(staging.table, staging.create)
  }

  def drop(table: String): Unit = once(() => if (exists(table)) execute(s"DROP TABLE $table"))

  private def exists(table: String): Boolean = answers(s"SELECT * FROM $table WHERE 1 = 0").isDefined

  private def fits(staging: StagingTable): Boolean = {
    val own = answers(staging.shape)
    own.isDefined && own == answers(staging.shapeOfTarget)
  }

  /** The columns of a result, in a form that can be compared; none if the query cannot be run. */
  private def answers(sql: String): Option[Seq[(Int, Int, Int)]] =
    try
      session.transaction { connection =>
        val statement = connection.createStatement()
        try {
          val columns = statement.executeQuery(sql).getMetaData
          Some((1 to columns.getColumnCount).map { i =>
            (columns.getColumnType(i), columns.getPrecision(i), columns.getScale(i))
          })
        } finally statement.close()
      }
    catch { case NonFatal(e) if Verdict.of(e, target.dialect) != Verdict.Transient => None }

  private def execute(sql: String): Unit = session.transaction { connection =>
    val statement = connection.createStatement()
    try {
      statement.execute(sql)
      ()
    } finally statement.close()
  }

  private def once(action: () => Unit): Unit = retries(target.writeFailed)(_ => action())

  private def refused(table: String, why: Throwable): Throwable =
    if (Verdict.of(why, target.dialect) == Verdict.Transient) why
    else JdbcErrors.ownTable(table, target.database, why)
}
