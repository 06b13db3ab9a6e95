// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.writing.UnflushedRows

/** The rows of a part that no finished block contains: rows that earlier epochs left, and rows of this epoch.
  * Used by one thread. All sizes are bytes of rows in memory.
  *
  * @param earlier the rows that earlier epochs left; none for a new part
  */
private[bulk] final class UnencodedRows(earlier: Option[EarlierRows], parts: BulkParts) {
  private[this] var older    = earlier // until blocks contain the rows
  private[this] var olderRaw = earlier.fold(0L)(_.rawBytes)
  private[this] var fresh    = parts.spool()

  /** The size of all rows. */
  def bytes: Long = olderBytes + fresh.rawBytes

  /** The size of the rows that earlier epochs left. Called for each row. */
  def olderBytes: Long = olderRaw

  /** The size of the rows of this epoch. */
  def freshBytes: Long = fresh.rawBytes

  def append(row: UnsafeRow): Unit = fresh.append(row)

  /** Returns the rows of this epoch, in order. A row and its values are valid until the next call. */
  def ofThisEpoch: Iterator[UnsafeRow] = fresh.iterator

  /** Returns all rows, in order, valid as above. The caller must close the iterator. */
  def all(schema: StructType): EarlierRows.AndNewer =
    new EarlierRows.AndNewer(older.map(_.rows(schema)), fresh.iterator)

  /** Called when all rows are in blocks. */
  def clear(): Unit = {
    fresh.clear()
    older = None
    olderRaw = 0
  }

  /** Called when all rows are in blocks, except for the last rows. */
  def clearExcept(last: Iterator[UnsafeRow]): Unit = {
    val rest = parts.spool()
    try last.foreach(rest.append)
    catch { case e: Throwable => rest.clear(); throw e }
    clear()
    fresh = rest
  }

  /** Releases the memory of this epoch's rows. */
  def close(): Unit = fresh.clear()

  /** Returns the rows to spool at the end of an epoch. Rows of this epoch are appended to the spool files of
    * the rows that earlier epochs left, or replace the spool files of rows that are in blocks now.
    */
  def unflushed(header: => SpoolFrames.Header): UnflushedRows = {
    val rows = fresh
    if (older.isDefined) UnflushedRows.More(rows.writeTo(_))
    else {
      val start = header
      UnflushedRows.Instead { out =>
        SpoolFrames.write(start, out)
        rows.writeTo(out)
      }
    }
  }
}
