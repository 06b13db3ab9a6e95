// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import java.util.{TreeMap => JTreeMap}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

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
