// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.util.{TreeMap => JTreeMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Buffers the rows of a batch. Not thread-safe.
  *
  * @param batchRows the size of a full batch
  */
private[jdbc] sealed abstract class RowBuffer(batchRows: Int) {
  def add(row: JdbcRow): Unit

  /** Removes and returns the rows. */
  def drain(): IndexedSeq[JdbcRow]

  final def isFull: Boolean = size >= batchRows

  final def nonEmpty: Boolean = size > 0

  protected def size: Int
}

private[jdbc] object RowBuffer {

  /** Keeps every row, in order of arrival. */
  final class InTurn(batchRows: Int) extends RowBuffer(batchRows) {
    private[this] val rows = mutable.ArrayBuffer[JdbcRow]()

    override def add(row: JdbcRow): Unit = {
      rows += row
      ()
    }

    override def drain(): IndexedSeq[JdbcRow] = {
      val batch = rows.toVector
      rows.clear()
      batch
    }

    override protected def size: Int = rows.size
  }

  /** Keeps only the last row of each key, in the [[LockOrder]] of the keys. Rows whose keys only the database
    * may consider equal keep their order of arrival.
    *
    * @param key        the key, and the version that decides which row is the last
    * @param superseded the handling of all other rows
    */
  final class LastOfEachKey(key: RowKey, superseded: Superseded, batchRows: Int)
      extends RowBuffer(batchRows) {
    private[this] val rows    = new JTreeMap[JdbcRow, (Long, JdbcRow)](new KeyOrder(key.columns.toArray))
    private[this] val order   = new LockOrder(key.columns.filterNot(key.unsorted).toArray)
    private[this] var arrived = 0L
    private[this] var behind  = 0

    override def add(row: JdbcRow): Unit = {
      // Replaces the map's key as well: equal keys may differ, such as 1.0 and 1.00.
      val last = Option(rows.remove(row)).fold(row) { case (_, earlier) =>
        val winner = key.winner(earlier, row)
        superseded match {
          case Superseded.Kept    => behind += 1; winner
          case Superseded.Dropped => winner.alone
        }
      }
      rows.put(last, arrived -> last)
      arrived += 1
    }

    override def drain(): IndexedSeq[JdbcRow] = {
      val batch = rows.values.asScala.toVector.sortBy(_._1).map(_._2)
      rows.clear()
      behind = 0
      order.sorted(batch)
    }

    override protected def size: Int = rows.size + behind
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
