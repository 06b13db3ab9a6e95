// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import scala.annotation.tailrec
import scala.util.control.NonFatal

import stoplog.jdbc.client.{FailureKind, JdbcErrors, Session}
import stoplog.jdbc.rejects.RejectTable

/** Moves the staged rows of an epoch to the target or the reject table, in a transaction of the caller. */
private[jdbc] final class StagedRowMover(tables: SinkTables, session: Session, results: Seq[TaskOutcome]) {
  import StagedRowMover._

  private val target  = tables.target
  private val staging = tables.staging

  /** Moves all rows at once; fails if the target rejects a row. Returns 0, the number of rejected rows. */
  def whole(): Long = {
    val written = results.filter(_.rows > 0)
    val moved   = staging.publish(session, written.map(_.attempt))
    expect(staging, written.map(_.rows).sum, moved)(staging.count(session, written.map(_.attempt)))
    finish()
    0
  }

  /** Moves the rows in pieces. A piece with a bad row is halved until the bad row is isolated and moved to
    * the reject table. A deferred constraint may refer to a row of a later piece, so that rejected rows are
    * tried again as long as rows are accepted.
    *
    * @return the number of rejected rows
    */
  def piecemeal(batch: Option[Long]): Long = {
    val tasks   = results.filter(_.rows > 0).map(task => Piece(task.attempt, 0, task.rows))
    val refused = settled(tasks.flatMap(pieces))
    for {
      rejects <- tables.rejects
      one     <- refused
    } {
      val text = staging.text(session, one.piece.attempt, one.piece.from, rejects.text)
      val id   = s"${one.piece.attempt}-t${one.piece.from}"
      rejects.table.insert(session, Seq(RejectTable.row(id, tables.sink, batch, one.why, text)))
    }
    finish()
    refused.size.toLong
  }

  @tailrec
  private def settled(refused: Seq[Refused]): Seq[Refused] = {
    val left =
      if (target.dialect.checkConstraints.isEmpty) refused else refused.flatMap(one => pieces(one.piece))
    if (left.size == refused.size) left else settled(left)
  }

  private def finish(): Unit = {
    staging.remove(session, results.map(_.attempt), results.map(_.rows).sum)
    for (rejects <- tables.rejects) {
      val attempts = results.filter(_.rejects > 0).map(_.attempt)
      val moved    = rejects.staging.publish(session, attempts)
      expect(rejects.staging, results.map(_.rejects).sum, moved)(rejects.staging.count(session, attempts))
      rejects.staging.remove(session, attempts, results.map(_.rejects).sum)
    }
  }

  /** Returns the rejected rows of a piece. */
  private def pieces(piece: Piece): Seq[Refused] =
    refusal(piece) match {
      case None                         => Nil
      case Some(why) if piece.rows == 1 => Seq(Refused(piece, why))
      case Some(_)                      => piece.halves.flatMap(pieces)
    }

  /** Returns the reason why the target rejects a row of the piece. After a rejection, the transaction
    * continues without these rows.
    */
  private def refusal(piece: Piece): Option[Throwable] =
    try {
      session.savepoint {
        val moved = staging.publish(session, piece.attempt, piece.from, piece.until)
        expect(staging, piece.rows, moved)(staging.count(session, piece.attempt, piece.from, piece.until))
        session.checkConstraints(target.dialect)
      }
      None
    } catch { case NonFatal(e) if FailureKind.of(e, target.dialect) == FailureKind.BadRow => Some(e) }

  /** Fails unless all rows were staged. A trigger or a rule of the target may move a row elsewhere, and the
    * database then reports fewer moved rows. In this case, the staged rows are counted.
    */
  private def expect(from: StagingTable, wanted: Long, moved: Long)(staged: => Long): Unit =
    if (wanted != moved) {
      val found = staged
      if (wanted != found) throw JdbcErrors.stagingLost(from.table, tables.address, wanted, found)
    }
}

private object StagedRowMover {

  /** Staged rows of an attempt, from a number until a number, exclusive. */
  final case class Piece(attempt: String, from: Long, until: Long) {
    def rows: Long = until - from

    def halves: Seq[Piece] = {
      val middle = from + rows / 2
      Seq(copy(until = middle), copy(from = middle))
    }
  }

  /** A row that the target rejects. */
  final case class Refused(piece: Piece, why: Throwable)
}
