// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.ResultSetMetaData

import scala.util.Using
import scala.util.control.NonFatal

/** A table of the sink in which rows wait for their epoch. It has no constraint, and no reader.
  *
  * @param table    its own name
  * @param target   where its rows go
  * @param columns  of the target, that it has beside its own two
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

  /** Finds out which columns it has. */
  def shape: String = s"SELECT $names FROM $table WHERE 1 = 0"

  def shapeOfTarget: String = s"SELECT $names FROM $target WHERE 1 = 0"

  // The methods below work in a transaction of the caller.

  /** Rows of an attempt, numbered from `first`. */
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

  /** Deletes an attempt's rows from a number on. */
  def removeFrom(session: Session, attempt: String, first: Long): Unit = {
    session.update(s"DELETE FROM $table WHERE stoplog_attempt = ? AND stoplog_row >= ?", attempt, first)
    ()
  }

  /** Puts the attempts' rows into the target. Returns how many they were. */
  def publish(session: Session, attempts: Seq[String]): Long = each(attempts) { some =>
    session.update(s"$move WHERE ${among(some)}", some: _*)
  }

  /** The same for rows of one attempt, from a number up to before another. */
  def publish(session: Session, attempt: String, from: Long, until: Long): Long = session.update(
    s"$move WHERE stoplog_attempt = ? AND stoplog_row >= ? AND stoplog_row < ?",
    attempt,
    from,
    until
  )

  /** One staged row as a text. */
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

/** Reads the one row of a result as the text that a rejected row has. */
private[jdbc] trait StagedText {
  def text(result: java.sql.ResultSet): String
}

/** Makes the sink's own tables where they are missing. */
private[jdbc] final class OwnTables(session: Session, retries: Retries, target: Target) {

  /** Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(table: String, create: String): Unit = once { () =>
    if (!exists(table))
      try execute(create)
      // Another driver may have been first.
      catch { case NonFatal(e) => if (!exists(table)) throw refused(table, e) }
  }

  /** Error: `STOPLOG_JDBC_OWN_TABLE`, also for a table of a release that kept less. */
  def ensure(epochs: EpochsTable): Unit = {
    ensure(epochs.table, epochs.create)
    once { () =>
      if (answers(epochs.shape).isEmpty)
        throw JdbcErrors.ownTable(epochs.table, target.database, new IllegalStateException(epochs.wayOut))
    }
  }

  /** A staging table that was made for other columns, or takes less than the target does now, is made anew: what is in it, no live
    * run has written.
    */
  def ensure(staging: StagingTable): Unit = {
    once(() => if (exists(staging.table) && !fits(staging)) execute(s"DROP TABLE ${staging.table}"))
    ensure(staging.table, staging.create)
  }

  /** Error: `STOPLOG_JDBC_OWN_TABLE`. */
  def ensure(rejects: RejectTable): Unit = ensure(rejects.table, rejects.create)

  /** Makes a staging table anew, whatever there is. Tried again by the caller, who keeps all younger runs away meanwhile: what is in
    * the table, no live run has written. Error: `STOPLOG_JDBC_OWN_TABLE`.
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

  /** The columns of a result, in a form that can be compared; none if the query cannot be run. */
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
    catch { case NonFatal(e) if Verdict.of(e, target.dialect) != Verdict.Transient => None }

  private def execute(sql: String): Unit = session.transaction { connection =>
    Using.resource(connection.createStatement())(_.execute(sql))
    ()
  }

  private def once(action: () => Unit): Unit = retries(target.writeFailed)(_ => action())

  private def refused(table: String, why: Throwable): Throwable =
    if (Verdict.of(why, target.dialect) == Verdict.Transient) why
    else JdbcErrors.ownTable(table, target.database, why)
}

private object OwnTables {

  /** A column of a result.
    *
    * @param form its type in JDBC, precision and scale
    * @param name of the type in the database, which JDBC may call as it calls others
    */
  final case class Described(form: (Int, Int, Int), name: String, isRequired: Boolean) {

    /** Whether it takes all that the other does. */
    def takes(other: Described): Boolean =
      form == other.form && name == other.name && (!isRequired || other.isRequired)
  }
}
