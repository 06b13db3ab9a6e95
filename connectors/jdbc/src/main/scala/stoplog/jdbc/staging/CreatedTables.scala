// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import java.sql.{ResultSetMetaData, SQLException}

import scala.util.Using
import scala.util.control.NonFatal

import stoplog.jdbc.client.{FailureKind, JdbcErrors, Retries, Session}
import stoplog.jdbc.rejects.RejectTable
import stoplog.jdbc.table.{Target, TargetTable}

/** Creates the sink's own tables if they do not exist. */
private[jdbc] final class CreatedTables(session: Session, retries: Retries, target: Target) {

  /** Creates a table. Error: `STOPLOG_OWN_TABLE`, also if the table does not support transactions, or
    * does not have the primary key of `create`: the sink finds out by this key whether another process was
    * first.
    */
  def ensure(table: String, create: String): Unit = {
    created(table, target.dialect.ownTable(create))
    val key = CreatedTables.keyOf(create)
    once { () =>
      // H2 shows the table of another driver before its key.
      retries
        .recheck(() => session.transaction(TargetTable.keyProblem(_, table, target.dialect, key)))
        .foreach(refuse(table, _))
    }
  }

  /** Creates the epochs table. Error: `STOPLOG_OWN_TABLE`. */
  def ensure(epochs: EpochsTable): Unit = ensure(epochs.table, epochs.create)

  /** Creates a staging table. Recreates a table with other columns or with narrower columns than the current
    * target; no live run has written the rows in such a table.
    */
  def ensure(staging: StagingTable): Unit = {
    once(() => if (exists(staging.table) && !fits(staging)) execute(s"DROP TABLE ${staging.table}"))
    created(staging.table, staging.create)
  }

  /** Creates the reject table. Error: `STOPLOG_OWN_TABLE`. */
  def ensure(rejects: RejectTable): Unit = ensure(rejects.table, rejects.create)

  /** Recreates a staging table unconditionally. The caller retries, and excludes all newer runs meanwhile: no
    * live run has written the rows in the table. Error: `STOPLOG_OWN_TABLE`.
    */
  def renew(staging: StagingTable): Unit = {
    target.dialect.boundedWait.foreach(execute)
    try {
      if (exists(staging.table)) execute(s"DROP TABLE ${staging.table}")
      execute(staging.create)
    } catch { case NonFatal(e) => throw refused(staging.table, e) }
    requireTransactions(staging.table)
  }

  def drop(table: String): Unit = once(() => if (exists(table)) execute(s"DROP TABLE $table"))

  private def created(table: String, create: String): Unit = once { () =>
    if (!exists(table))
      try execute(create)
      // Another driver may have created the table meanwhile.
      catch { case NonFatal(e) => if (!exists(table)) throw refused(table, e) }
    requireTransactions(table)
  }

  private def requireTransactions(table: String): Unit =
    session.transaction(target.dialect.transactionProblem(_, table)).foreach(refuse(table, _))

  private def refuse(table: String, why: String): Unit =
    throw JdbcErrors.ownTable(table, target.database, new SQLException(why))

  private def exists(table: String): Boolean = columnsOf(s"SELECT * FROM $table WHERE 1 = 0").isDefined

  private def fits(staging: StagingTable): Boolean = {
    val (own, wanted) = (columnsOf(staging.shape), columnsOf(staging.shapeOfTarget))
    own.map(_.size) == wanted.map(_.size) && own.exists(_.zip(wanted.get).forall { case (a, b) =>
      a.takes(b)
    })
  }

  /** Returns the columns of a result in a comparable form; `None` if the query fails. */
  private def columnsOf(sql: String): Option[Seq[CreatedTables.Described]] =
    try
      session.transaction { connection =>
        Using.resource(connection.createStatement()) { statement =>
          val columns = statement.executeQuery(sql).getMetaData
          Some((1 to columns.getColumnCount).map { i =>
            CreatedTables.Described(
              (columns.getColumnType(i), columns.getPrecision(i), columns.getScale(i)),
              if (target.dialect.isTyped) target.dialect.plainType(columns.getColumnTypeName(i)) else "",
              columns.isNullable(i) == ResultSetMetaData.columnNoNulls
            )
          })
        }
      }
    catch { case NonFatal(e) if FailureKind.of(e, target.dialect) != FailureKind.Transient => None }

  private def execute(sql: String): Unit = session.transaction { connection =>
    Using.resource(connection.createStatement())(_.execute(sql))
    ()
  }

  private def once(action: () => Unit): Unit = retries(target.writeFailed)(_ => action())

  private def refused(table: String, why: Throwable): Throwable =
    if (FailureKind.of(why, target.dialect) == FailureKind.Transient) why
    else JdbcErrors.ownTable(table, target.database, why)
}

private[jdbc] object CreatedTables {

  /** Returns the columns of the primary key in a statement that creates a table of the sink. */
  private[jdbc] def keyOf(create: String): Set[String] =
    SeveralColumns
      .findFirstMatchIn(create)
      .map(_.group(1).split(", ").toSet)
      .getOrElse(OneColumn.findFirstMatchIn(create).map(_.group(1)).toSet)

  private val SeveralColumns = """PRIMARY KEY \((.+?)\)""".r
  private val OneColumn      = """(\w+) \w+(?:\(\d+\))?(?: NOT NULL)? PRIMARY KEY""".r

  /** A column of a result.
    *
    * @param form the JDBC type, the precision and the scale
    * @param name the type's name in the database, because JDBC may use one type for several database types
    */
  private final case class Described(form: (Int, Int, Int), name: String, isRequired: Boolean) {

    /** Returns true if the column accepts all values of the other column. */
    def takes(other: Described): Boolean =
      form == other.form && name == other.name && (!isRequired || other.isRequired)
  }
}
