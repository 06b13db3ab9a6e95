// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{PreparedStatement, SQLException}

import scala.util.control.NonFatal

import stoplog.fault.Faults

/** Sends rows batch by batch, and finds the bad ones among them by halving the batch.
  *
  * @param scope in which a batch is in the database as a whole or not at all
  * @param send  puts rows into the database within the scope; told how many tries were before it
  * @param sent  is told of rows whose scope has ended well
  * @param bad   takes a row that the database refuses by itself
  * @param error makes the error for a failure that is not a row's
  */
private[jdbc] final class Batches(
    scope: BatchScope,
    dialect: Dialect,
    faults: Faults,
    error: Throwable => Throwable
)(
    send: (IndexedSeq[JdbcRow], Int) => Unit,
    sent: IndexedSeq[JdbcRow] => Unit,
    bad: (JdbcRow, Throwable) => Unit
) {

  def apply(rows: IndexedSeq[JdbcRow]): Unit = attempt(rows) match {
    case None                          => ()
    case Some(why) if rows.sizeIs == 1 =>
      bad(rows.head, why)
      rows.head.earlier match {
        case Some(earlier) => apply(Vector(earlier))
        case None          => ()
      }
    case Some(_) =>
      val (first, second) = rows.splitAt(rows.size / 2)
      apply(first)
      apply(second)
  }

  private def attempt(rows: IndexedSeq[JdbcRow]): Option[Throwable] =
    try {
      scope(before => send(rows, before))
      sent(rows)
      faults.at(JdbcStep.BatchSent)
      None
    } catch {
      case NonFatal(e) =>
        Verdict.of(e, dialect) match {
          case Verdict.BadRow                                => Some(e)
          case Verdict.Fatal if e.isInstanceOf[SQLException] => throw error(e)
          case _                                             => throw e
        }
    }
}

private[jdbc] object Batches {

  /** @param bind sets a row's parameters */
  def execute(statement: PreparedStatement, rows: Iterable[JdbcRow])(bind: JdbcRow => Unit): Unit =
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
