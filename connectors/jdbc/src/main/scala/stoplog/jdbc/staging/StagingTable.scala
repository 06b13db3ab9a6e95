// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import java.math.BigInteger
import java.security.SecureRandom
import java.sql.SQLException

import stoplog.jdbc.client.{Columnwise, Dialect, Session, Statement, Upserts}
import stoplog.jdbc.rejects.StagedText
import stoplog.jdbc.rows.{Column, JdbcRow}

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

  @transient private lazy val together =
    dialect.insertNumbered(table, "stoplog_attempt", "stoplog_row", columns)

  /** Inserts rows of an attempt, numbered from `first`. */
  def insert(session: Session, attempt: String, first: Long, rows: IndexedSeq[JdbcRow]): Unit =
    if (rows.sizeIs == 1 || !together.exists(insertTogether(_, session, attempt, first, rows)))
      insertEach(session, attempt, first, rows)

  private def insertTogether(
      together: Columnwise,
      session: Session,
      attempt: String,
      first: Long,
      rows: IndexedSeq[JdbcRow]
  ): Boolean = {
    val statement = session.statement(together.sql)
    statement.setString(1, attempt)
    statement.setLong(2, first)
    together.bind(statement, rows, first = 3) && {
      statement.executeUpdate()
      true
    }
  }

  private def insertEach(session: Session, attempt: String, first: Long, rows: Iterable[JdbcRow]): Unit = {
    val all       = Seq("stoplog_attempt", "stoplog_row") ++ columns.map(_.quoted)
    val statement = session.statement(Upserts.insert(table, all))
    var number    = first
    Statement.executeBatch(statement, rows) { row =>
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
    s"$move WHERE ${StagingTable.Piece}",
    attempt,
    from,
    until
  )

  /** Returns the number of staged rows of the attempts. */
  def count(session: Session, attempts: Seq[String]): Long =
    each(attempts)(some => counted(session, among(some), some: _*))

  /** Returns the number of staged rows of an attempt with numbers from `from` until `until`, exclusive. */
  def count(session: Session, attempt: String, from: Long, until: Long): Long =
    counted(session, StagingTable.Piece, attempt, from, until)

  /** Returns a staged row as text. */
  def text(session: Session, attempt: String, number: Long, read: StagedText): String = session.query(
    s"SELECT $names FROM $table WHERE stoplog_attempt = ? AND stoplog_row = ?",
    attempt,
    number
  )(read.text)

  /** Deletes the rows of the attempts of an epoch. If the rows are many, also deletes the rows of attempts
    * that Spark has not reported.
    *
    * @param rows the number of rows of the attempts
    */
  def remove(session: Session, attempts: Seq[String], rows: Long): Unit =
    if (rows < StagingTable.ManyRows || !dialect.truncateAtOnce(table).exists(truncated(session, _))) {
      each(attempts)(some => session.update(s"DELETE FROM $table WHERE ${among(some)}", some: _*))
      ()
    }

  /** Returns false if another transaction uses the table, for example an attempt that Spark has abandoned. */
  private def truncated(session: Session, statements: Seq[String]): Boolean =
    try {
      session.savepoint(statements.foreach(sql => session.update(sql)))
      true
    } catch { case _: SQLException => false }

  def clear(session: Session): Unit = {
    session.update(s"DELETE FROM $table")
    ()
  }

  private def counted(session: Session, where: String, parameters: Any*): Long =
    session.query(s"SELECT COUNT(*) FROM $table WHERE $where", parameters: _*) { result =>
      result.next()
      result.getLong(1)
    }

  private def move: String = s"INSERT INTO $target ($names) SELECT $names FROM $table"

  private def each(attempts: Seq[String])(act: Seq[String] => Long): Long =
    attempts.grouped(StagingTable.AttemptsPerStatement).map(act).sum

  private def among(attempts: Seq[String]): String = s"stoplog_attempt IN (${Upserts.marks(attempts)})"
}

private[jdbc] object StagingTable {
  private val random = new SecureRandom

  /** Returns the id of a new attempt: random bits as lower-case letters and digits, because databases may
    * compare letters without case. Each staged row has the id, so the id is short.
    */
  def newAttempt(): String = new BigInteger(AttemptBits, random).toString(Character.MAX_RADIX)

  private final val AttemptBits          = 77
  private final val AttemptLength        = 64
  private final val Piece                = "stoplog_attempt = ? AND stoplog_row >= ? AND stoplog_row < ?"
  private final val AttemptsPerStatement = 500

  /** To empty a table takes a few milliseconds, and the deletion of this number of rows takes longer. */
  private final val ManyRows = 10000L
}
