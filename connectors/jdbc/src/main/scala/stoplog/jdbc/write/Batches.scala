// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import java.sql.SQLException

import scala.util.control.NonFatal

import stoplog.fault.Faults
import stoplog.jdbc.client.{Dialect, FailureKind, JdbcStep}
import stoplog.jdbc.rows.JdbcRow

/** Sends rows batch by batch, and isolates bad rows by halving a failed batch.
  *
  * @param scope the atomic unit of a batch: the database stores either the whole batch or nothing
  * @param send  writes rows to the database within the scope; the second argument is the number of previous
  *              attempts
  * @param sent  called with the rows of a successful scope
  * @param races returns true if a row that was rejected for this reason may be accepted on a retry
  * @param bad   called with a row that the database rejects on its own
  * @param error creates the error for a failure that no row caused
  */
private[jdbc] final class Batches(
    scope: BatchScope,
    dialect: Dialect,
    faults: Faults,
    error: Throwable => Throwable
)(
    send: (IndexedSeq[JdbcRow], Int) => Unit,
    sent: IndexedSeq[JdbcRow] => Unit,
    races: Throwable => Boolean,
    bad: (JdbcRow, Throwable) => Unit
) {

  def apply(rows: IndexedSeq[JdbcRow]): Unit = attempt(rows) match {
    case None                          => ()
    case Some(why) if rows.sizeIs == 1 =>
      val refused = if (races(why)) attempt(rows) else Some(why)
      refused.foreach { why =>
        bad(rows.head, why)
        rows.head.earlier.foreach(earlier => apply(Vector(earlier)))
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
        FailureKind.of(e, dialect) match {
          case FailureKind.BadRow                                => Some(e)
          case FailureKind.Fatal if e.isInstanceOf[SQLException] => throw error(e)
          case _                                                 => throw e
        }
    }
}
