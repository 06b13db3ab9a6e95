// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.ResultSetMetaData

import scala.util.Using
import scala.util.control.NonFatal

/** A table of the sink in which rows are staged until their epoch commits. The table has no constraints and
  * no readers.
  *
  * @param table    the name of the staging table
  * @param target   the table that the rows are moved to
  * @param columns  the columns of the target, in addition to two columns of the staging table
  */
private[jdbc] final case class StagingTable(
    table: String,
    target: String,
    columns: Vector[Column],
    dialect: Dialect
) {
  private def names: String = columns.map(_.quoted).mkString(", ")

  def create: String = dialect.createLike(
    table,
    s"SELECT ${dialect.text("", StagingTable.AttemptLength)} AS stoplog_attempt, " +
      s"${dialect.wholeNumber} AS stoplog_row, $names FROM $target"
  )

  /** A query for the columns of the table. */
  def shape: String = s"SELECT $names FROM $table WHERE 1 = 0"

  def shapeOfTarget: String = s"SELECT $names FROM $target WHERE 1 = 0"

  // The methods below run in a transaction of the caller.

  /** Inserts rows of an attempt, numbered from `first`. */
  def insert(session: Session, attempt: String, first: Long, rows: Iterable[JdbcRow]): Unit = {
    val all       = Seq("stoplog_attempt", "stoplog_row") ++ columns.map(_.quoted)
    val statement = session.statement(Upserts.insert(table, all))
    var number    = first
    Batches.execute(statement, rows) { row =>
      statement.setString(1, attempt)
      statement.setLong(2, number)
      var i = 0
      while (i < columns.length) {
        columns(i).bind(statement, i + 3, row.values(i))
        i += 1
      }
      number += 1
    }
  }

  /** Deletes the rows of an attempt from a number on. */
  def removeFrom(session: Session, attempt: String, first: Long): Unit = {
    session.update(s"DELETE FROM $table WHERE stoplog_attempt = ? AND stoplog_row >= ?", attempt, first)
    ()
  }

  /** Copies the rows of the attempts to the target. Returns the number of rows. */
  def publish(session: Session, attempts: Seq[String]): Long = each(attempts) { some =>
    session.update(s"$move WHERE ${among(some)}", some: _*)
  }

  /** Copies the rows of an attempt with numbers from `from` until `until`, exclusive. Returns the number of
    * rows.
    */
  def publish(session: Session, attempt: String, from: Long, until: Long): Long = session.update(
    s"$move WHERE stoplog_attempt = ? AND stoplog_row >= ? AND stoplog_row < ?",
    attempt,
    from,
    until
  )

  /** Returns a staged row as text. */
  def text(session: Session, attempt: String, number: Long, read: StagedText): String = session.query(
    s"SELECT $names FROM $table WHERE stoplog_attempt = ? AND stoplog_row = ?",
    attempt,
    number
  )(read.text)

  def remove(session: Session, attempts: Seq[String]): Unit = {
    each(attempts)(some => session.update(s"DELETE FROM $table WHERE ${among(some)}", some: _*))
    ()
  }

  def clear(session: Session): Unit = {
    session.update(s"DELETE FROM $table")
    ()
  }

  private def move: String = s"INSERT INTO $target ($names) SELECT $names FROM $table"

  private def each(attempts: Seq[String])(act: Seq[String] => Long): Long =
    attempts.grouped(StagingTable.AttemptsPerStatement).map(act).sum

  private def among(attempts: Seq[String]): String = s"stoplog_attempt IN (${Upserts.marks(attempts)})"
}

private[jdbc] object StagingTable {
  private final val AttemptLength        = 64
  private final val AttemptsPerStatement = 500
}

/** Formats the single row of a result as the text of a rejected row. */
private[jdbc] trait StagedText {
  def text(result: java.sql.ResultSet): String
}

/** Creates the sink's own tables if they do not exist. */
private[jdbc] final class OwnTables(session: Session, retries: Retries, target: Target) {

  /** Creates a table. Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(table: String, create: String): Unit = once { () =>
    if (!exists(table))
      try execute(create)
      // Another driver may have created the table meanwhile.
      catch { case NonFatal(e) => if (!exists(table)) throw refused(table, e) }
  }

  /** Creates the epochs table. Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(epochs: EpochsTable): Unit = ensure(epochs.table, epochs.create)

  /** Creates a staging table. Recreates a table with other columns or with narrower columns than the current
    * target; no live run has written the rows in such a table.
    */
  def ensure(staging: StagingTable): Unit = {
    once(() => if (exists(staging.table) && !fits(staging)) execute(s"DROP TABLE ${staging.table}"))
    ensure(staging.table, staging.create)
  }

  /** Creates the reject table. Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(rejects: RejectTable): Unit = ensure(rejects.table, rejects.create)

  /** Recreates a staging table unconditionally. The caller retries, and excludes all newer runs meanwhile: no
    * live run has written the rows in the table. Error: `STOPLOG_JDBC_OWN_TABLE`.
    */
  def renew(staging: StagingTable): Unit = {
    target.dialect.boundedWait.foreach(execute)
    try {
      if (exists(staging.table)) execute(s"DROP TABLE ${staging.table}")
      execute(staging.create)
    } catch { case NonFatal(e) => throw refused(staging.table, e) }
  }

  def drop(table: String): Unit = once(() => if (exists(table)) execute(s"DROP TABLE $table"))

  private def exists(table: String): Boolean = answers(s"SELECT * FROM $table WHERE 1 = 0").isDefined

  private def fits(staging: StagingTable): Boolean = {
    val (own, wanted) = (answers(staging.shape), answers(staging.shapeOfTarget))
    own.map(_.size) == wanted.map(_.size) && own.exists(_.zip(wanted.get).forall { case (a, b) =>
      a.takes(b)
    })
  }

  /** Returns the columns of a result in a comparable form; `None` if the query fails. */
  private def answers(sql: String): Option[Seq[OwnTables.Described]] =
    try
      session.transaction { connection =>
        Using.resource(connection.createStatement()) { statement =>
          val columns = statement.executeQuery(sql).getMetaData
          Some((1 to columns.getColumnCount).map { i =>
            OwnTables.Described(
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

private object OwnTables {

  /** A column of a result.
    *
    * @param form the JDBC type, the precision and the scale
    * @param name the type's name in the database, because JDBC may use one type for several database types
    */
  final case class Described(form: (Int, Int, Int), name: String, isRequired: Boolean) {

    /** Returns true if the column accepts all values of the other column. */
    def takes(other: Described): Boolean =
      form == other.form && name == other.name && (!isRequired || other.isRequired)
  }
}
