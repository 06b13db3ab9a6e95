// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import scala.util.control.NonFatal

import stoplog.jdbc.client.{FailureKind, JdbcErrors, Session}
import stoplog.jdbc.rejects.RejectTable

/** Moves the staged rows of an epoch to the target or the reject table, in a transaction of the caller. */
private[jdbc] final class StagedRowMover(tables: SinkTables, session: Session, results: Seq[TaskOutcome]) {
  private val target  = tables.target
  private val staging = tables.staging

  /** Moves all rows at once; fails if the target rejects a row. Returns 0, the number of rejected rows. */
  def whole(): Long = {
    val written = results.filter(_.rows > 0)
    expect(staging, written.map(_.rows).sum, staging.publish(session, written.map(_.attempt)))
    finish()
    0
  }

  /** Moves the rows in pieces. A piece with a bad row is halved until the bad row is isolated and moved to
    * the reject table.
    *
    * @return the number of rejected rows
    */
  def piecemeal(batch: Option[Long]): Long = {
    val refused = results.filter(_.rows > 0).map(task => pieces(task.attempt, 0, task.rows, batch)).sum
    finish()
    refused
  }

  private def finish(): Unit = {
    staging.remove(session, results.map(_.attempt))
    for (rejects <- tables.rejects) {
      val rejecting = results.filter(_.rejects > 0)
      expect(
        rejects.staging,
        rejecting.map(_.rejects).sum,
        rejects.staging.publish(session, rejecting.map(_.attempt))
      )
      rejects.staging.remove(session, rejecting.map(_.attempt))
    }
  }

  private def pieces(attempt: String, from: Long, until: Long, batch: Option[Long]): Long =
    refusal(attempt, from, until) match {
      case None                           => 0
      case Some(why) if until - from == 1 =>
        for (rejects <- tables.rejects) {
          val text = staging.text(session, attempt, from, rejects.text)
          val row  = RejectTable.row(s"$attempt-t$from", tables.sink, batch, why, text)
          rejects.table.insert(session, Seq(row))
        }
        1
      case Some(_) =>
        val middle = from + (until - from) / 2
        pieces(attempt, from, middle, batch) + pieces(attempt, middle, until, batch)
    }

  /** Returns the reason why the target rejects one of these rows. After a rejection, the transaction
    * continues without these rows.
    */
  private def refusal(attempt: String, from: Long, until: Long): Option[Throwable] =
    try {
      session.savepoint(expect(staging, until - from, staging.publish(session, attempt, from, until)))
      None
    } catch { case NonFatal(e) if FailureKind.of(e, target.dialect) == FailureKind.BadRow => Some(e) }

  private def expect(from: StagingTable, wanted: Long, found: Long): Unit =
    if (wanted != found) throw JdbcErrors.stagingLost(from.table, tables.address, wanted, found)
}
