// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{PreparedStatement, SQLException}
import java.util.{TreeMap => JTreeMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.fault.Faults

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

private[jdbc] object Batches {

  /** @param bind sets the parameters of a row */
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

/** Buffers rows until a batch is full. Not thread-safe.
  *
  * @param batchRows the size of a full batch
  * @param send      called with a batch, which is never empty
  */
private[jdbc] sealed abstract class RowBuffer(batchRows: Int, send: IndexedSeq[JdbcRow] => Unit) {

  final def add(row: JdbcRow): Unit = {
    put(row)
    if (size >= batchRows) flush()
  }

  /** Sends the remaining rows. */
  final def flush(): Unit = if (size > 0) send(drain())

  protected def put(row: JdbcRow): Unit
  protected def size: Int
  protected def drain(): IndexedSeq[JdbcRow]
}

private[jdbc] object RowBuffer {

  /** Keeps every row, in order of arrival. */
  final class InTurn(batchRows: Int, send: IndexedSeq[JdbcRow] => Unit) extends RowBuffer(batchRows, send) {
    private[this] val rows = mutable.ArrayBuffer[JdbcRow]()

    override protected def put(row: JdbcRow): Unit = {
      rows += row
      ()
    }

    override protected def size: Int = rows.size

    override protected def drain(): IndexedSeq[JdbcRow] = {
      val batch = rows.toVector
      rows.clear()
      batch
    }
  }

  /** Keeps only the last row of each key, in the order of the keys.
    *
    * @param keys       the indices of the key columns
    * @param superseded the handling of all other rows
    */
  final class LastOfEachKey(
      keys: Array[Int],
      superseded: Superseded,
      batchRows: Int,
      send: IndexedSeq[JdbcRow] => Unit
  ) extends RowBuffer(batchRows, send) {
    private[this] val rows   = new JTreeMap[JdbcRow, JdbcRow](new KeyOrder(keys))
    private[this] var behind = 0

    override protected def put(row: JdbcRow): Unit = {
      // Replaces the map's key as well: equal keys may differ, such as 1.0 and 1.00.
      val last = (Option(rows.remove(row)), superseded) match {
        case (Some(earlier), Superseded.Kept) =>
          behind += 1
          row.after(earlier)
        case _ => row
      }
      rows.put(last, last)
      ()
    }

    override protected def size: Int = rows.size + behind

    override protected def drain(): IndexedSeq[JdbcRow] = {
      val batch = rows.values.asScala.toVector
      rows.clear()
      behind = 0
      batch
    }
  }

  /** The handling of rows that a later row with the same key supersedes. */
  sealed trait Superseded
  object Superseded {
    case object Dropped extends Superseded

    /** The later row keeps the earlier row: if the later row is bad and the query continues, the earlier row
      * is written.
      */
    case object Kept extends Superseded
  }
}
