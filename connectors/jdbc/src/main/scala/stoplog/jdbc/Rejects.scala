// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

/** What becomes of the rows of a task that the database refuses. */
private[jdbc] trait Rejects {
  def take(row: JdbcRow, why: Throwable): Unit

  /** Whether rows are needed that a later one of their key has superseded: it may be bad. */
  def superseded: RowBuffer.Superseded

  /** Returns, when the database has all of them, how many they were. */
  def finish(): Long
}

private[jdbc] object Rejects {

  /** The task fails, and its epoch with it. */
  final class Fail(target: Target, describe: JdbcRow => String) extends Rejects {
    override def take(row: JdbcRow, why: Throwable): Unit =
      throw JdbcErrors.badRow(target.table, describe(row), why)
    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Dropped

    override def finish(): Long = 0
  }

  /** They go to the reject table, or are staged for it.
    *
    * @param identify the id of a rejected row: its number in the task, and its text
    * @param send     takes them as rows of the reject table
    */
  final class Keep(
      sink: String,
      batch: Option[Long],
      batchRows: Int,
      describe: JdbcRow => String,
      identify: (Long, String) => String,
      send: IndexedSeq[JdbcRow] => Unit
  ) extends Rejects {
    private[this] val buffer = new RowBuffer.InTurn(batchRows, send)
    private[this] var count  = 0L

    override def take(row: JdbcRow, why: Throwable): Unit = {
      val text = describe(row)
      val kept = RejectTable.row(identify(count, text), sink, batch, why, text)
      count += 1
      buffer.add(kept)
    }

    override def superseded: RowBuffer.Superseded = RowBuffer.Superseded.Kept

    override def finish(): Long = {
      buffer.flush()
      count
    }
  }

  /** The same for the same row of the same batch, whichever task and run rejects it. */
  def contentId(sink: String, batch: Option[Long])(number: Long, text: String): String = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(s"$sink\n${batch.fold("")(_.toString)}\n$text".getBytes(UTF_8))
    HexFormat.of().formatHex(digest.digest())
  }
}
