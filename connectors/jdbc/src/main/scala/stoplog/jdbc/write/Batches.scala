// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import java.sql.SQLException

import scala.annotation.tailrec
import scala.collection.mutable
import scala.util.control.NonFatal

import stoplog.jdbc.client.{FailureKind, JdbcStep}
import stoplog.jdbc.rejects.Rejects
import stoplog.jdbc.rows.JdbcRow
import stoplog.jdbc.table.Target

/** Sends rows batch by batch, and isolates bad rows by halving a failed batch. Not thread-safe. */
private[jdbc] final class Batches(
    writer: BatchWriter,
    access: TaskSession,
    target: Target,
    rejects: Rejects
) {
  private[this] var inDatabase = 0L
  private[this] val refused    = mutable.ArrayBuffer[(JdbcRow, Throwable)]()
  private[this] val waits      = access.scope.checksDeferred && writer.anyOrder

  /** The number of rows in successful batches. */
  def sentRows: Long = inDatabase

  def send(rows: IndexedSeq[JdbcRow]): Unit = attempt(rows) match {
    case None                                   => ()
    case Some(why) if waits && rows.sizeIs == 1 => refused += rows.head -> why
    case Some(why) if rows.sizeIs == 1          =>
      val again = if (writer.races(why)) attempt(rows) else Some(why)
      again.foreach { why =>
        rejects.take(rows.head, why)
        rows.head.earlier.foreach(earlier => send(Vector(earlier)))
      }
    case Some(_) =>
      val (first, second) = rows.splitAt(rows.size / 2)
      send(first)
      send(second)
  }

  /** Rejects the refused rows. A deferred constraint may refer to a row of a later batch, so that refused
    * rows are tried again as long as rows are accepted.
    */
  @tailrec
  def finish(): Unit = {
    val before = refused.map(_._1).toVector
    refused.clear()
    if (before.nonEmpty) send(before)
    if (refused.size == before.size) refused.foreach { case (row, why) => rejects.take(row, why) }
    else finish()
  }

  private def attempt(rows: IndexedSeq[JdbcRow]): Option[Throwable] =
    try {
      access.scope(before => writer.send(rows, inDatabase, before))
      inDatabase += rows.size
      access.faults.at(JdbcStep.BatchSent)
      None
    } catch {
      case NonFatal(e) =>
        FailureKind.of(e, target.dialect) match {
          case FailureKind.BadRow                                => Some(e)
          case FailureKind.Fatal if e.isInstanceOf[SQLException] => throw target.writeFailed(e)
          case _                                                 => throw e
        }
    }
}
