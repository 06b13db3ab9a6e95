// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.util.control.NonFatal

/** Moves the staged rows of an epoch to where they belong, in a transaction of the caller. */
private[jdbc] final class Move(tables: SinkTables, session: Session, results: Seq[TaskOutcome]) {
  private val target  = tables.target
  private val staging = tables.staging

  /** At once; fails if the target refuses a row. Returns 0, the number of rows refused. */
  def whole(): Long = {
    val written = results.filter(_.rows > 0)
    expect(staging, written.map(_.rows).sum, staging.publish(session, written.map(_.attempt)))
    finish()
    0
  }

  /** In pieces that become smaller around the rows that the target refuses, which go to the reject table.
    *
    * @return how many these were
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

  /** Why the target refuses one of these rows; the transaction goes on as if it had not been tried. */
  private def refusal(attempt: String, from: Long, until: Long): Option[Throwable] =
    try {
      session.savepoint(expect(staging, until - from, staging.publish(session, attempt, from, until)))
      None
    } catch { case NonFatal(e) if Verdict.of(e, target.dialect) == Verdict.BadRow => Some(e) }

  private def expect(from: StagingTable, wanted: Long, found: Long): Unit =
    if (wanted != found) throw JdbcErrors.stagingLost(from.table, target, wanted, found)
}
