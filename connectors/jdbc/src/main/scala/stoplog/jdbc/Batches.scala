// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.{PreparedStatement, SQLException}
import java.util.{TreeMap => JTreeMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.fault.Faults

/** Sends rows batch by batch, and finds the bad ones among them by halving the batch.
  *
  * @param scope in which a batch is in the database as a whole or not at all
  * @param send  puts rows into the database within the scope; told how many tries were before it
  * @param sent  is told of rows whose scope has ended well
  * @param races whether a row that was refused for this reason may be taken when it is sent once more
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

/** Rows that wait until there are enough of them for a batch. Not for several threads.
  *
  * @param batchRows how many are enough
  * @param send      takes a batch, which is never empty
  */
private[jdbc] sealed abstract class RowBuffer(batchRows: Int, send: IndexedSeq[JdbcRow] => Unit) {

  final def add(row: JdbcRow): Unit = {
    put(row)
    if (size >= batchRows) flush()
  }

  /** Sends what is left. */
  final def flush(): Unit = if (size > 0) send(drain())

  protected def put(row: JdbcRow): Unit
  protected def size: Int
  protected def drain(): IndexedSeq[JdbcRow]
}

private[jdbc] object RowBuffer {

  /** Every row, in the order in which they come. */
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

  /** Of the rows with one key only the last, in the order of the keys.
    *
    * @param keys       the places of the key columns
    * @param superseded the treatment of the others
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
      // Not only the value: keys that are equal to the order need not be the same, such as 1.0 and 1.00.
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

  /** The treatment of rows whose place a later one of their key has taken. */
  sealed trait Superseded
  object Superseded {
    case object Dropped extends Superseded

    /** Behind the later one: if that is bad and the query goes on, it is as if it had not come. */
    case object Kept extends Superseded
  }
}
