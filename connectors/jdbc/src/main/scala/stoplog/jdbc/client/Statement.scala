// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.PreparedStatement

import scala.util.control.NonFatal

import stoplog.jdbc.rows.{Column, JdbcRow}

/** SQL with parameters, and for each parameter the index of its column in a row. */
private[jdbc] final case class Statement(sql: String, parameters: Seq[Int]) {
  private[this] val places = parameters.toArray

  /** Executes the statement once for each row, in a transaction of the caller. */
  def execute(session: Session, columns: IndexedSeq[Column], rows: Iterable[JdbcRow]): Unit = {
    val statement = session.statement(sql)
    Statement.executeBatch(statement, rows) { row =>
      var i = 0
      while (i < places.length) {
        columns(places(i)).bind(statement, i + 1, row.values(places(i)))
        i += 1
      }
    }
  }
}

private[jdbc] object Statement {

  /** @param bind sets the parameters of a row */
  def executeBatch(statement: PreparedStatement, rows: Iterable[JdbcRow])(bind: JdbcRow => Unit): Unit =
    try {
      rows.foreach { row =>
        bind(row)
        statement.addBatch()
      }
      statement.executeBatch()
      ()
    } catch {
      case NonFatal(e) =>
        statement.clearBatch()
        throw e
    }
}
