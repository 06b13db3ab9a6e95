// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rejects

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import stoplog.jdbc.client.JdbcErrors
import stoplog.jdbc.rows.{JdbcRow, RowBuffer}
import stoplog.jdbc.table.Target

/** The handling of a task's rows that the database rejects. */
private[jdbc] trait Rejects {
  def take(row: JdbcRow, why: Throwable): Unit

  /** Whether superseded rows of a key must be kept, because the later row may be bad. */
  def superseded: RowBuffer.Superseded

  /** Returns the number of rejected rows after the database has stored all of them. */
  def finish(): Long
}

private[jdbc] object Rejects {

  /** Fails the task, and thereby its epoch. */
  final class Fail(target: Target, describe: JdbcRow => String) extends Rejects {
    override def take(row: JdbcRow, why: Throwable): Unit =
      throw JdbcErrors.badRow(target.table, describe(row), why)
    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Dropped

    override def finish(): Long = 0
  }

  /** Writes the rows to the reject table, or stages the rows for the reject table.
    *
    * @param identify returns the id of a rejected row from the row's number in the task and the row's text
    * @param send     called with rows of the reject table
    */
  final class Keep(
      sink: String,
      batch: Option[Long],
      batchRows: Int,
      describe: JdbcRow => String,
      identify: (Long, String) => String,
      send: IndexedSeq[JdbcRow] => Unit
  ) extends Rejects {
    private[this] val buffer = new RowBuffer.InTurn(batchRows)
    private[this] var count  = 0L

    override def take(row: JdbcRow, why: Throwable): Unit = {
      val text = describe(row)
      val kept = RejectTable.row(identify(count, text), sink, batch, why, text)
      count += 1
      buffer.add(kept)
      if (buffer.isFull) send(buffer.drain())
    }

    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Kept

    override def finish(): Long = {
      if (buffer.nonEmpty) send(buffer.drain())
      count
    }
  }

  /** Returns an id that is equal for the same row of the same batch, regardless of the task and the run. */
  def contentId(sink: String, batch: Option[Long])(number: Long, text: String): String = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(s"$sink\n${batch.fold("")(_.toString)}\n$text".getBytes(UTF_8))
    HexFormat.of().formatHex(digest.digest())
  }
}
