// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.IOException

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows one behind the other in an array, each after its length: Spark's own binary form, copied as it is. */
private[bulk] final class RowPage private (
    private var bytes: Array[Byte],
    private var filled: Int,
    private var count: Int
) {

  def rows: Int        = count
  def size: Int        = filled
  def capacity: Int    = bytes.length
  def isEmpty: Boolean = count == 0

  /** Whether the row was taken; else the page is full. */
  def append(row: UnsafeRow): Boolean = {
    val needed = filled + RowPage.LengthBytes + row.getSizeInBytes
    if (needed > bytes.length) false
    else {
      Platform.putInt(bytes, Platform.BYTE_ARRAY_OFFSET + filled, row.getSizeInBytes)
      row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + filled + RowPage.LengthBytes)
      filled = needed
      count += 1
      true
    }
  }

  /** A copy with more room. */
  def grownTo(capacity: Int): RowPage = new RowPage(java.util.Arrays.copyOf(bytes, capacity), filled, count)

  def array: Array[Byte] = bytes

  /** The rows in order. The object is reused; it stays valid as long as the page is not changed. */
  def iterator(columns: Int): Iterator[UnsafeRow] = iterator(columns, (_, _, _) => ())

  /** The same of a page that was read from storage, each row once it is known to lie within its bytes. Error of `next`:
    * `IOException`.
    */
  def checked(bounds: RowBounds): Iterator[UnsafeRow] = iterator(
    bounds.columns,
    (at, length, left) => {
      if (left < RowPage.LengthBytes || length < 0 || length > left - RowPage.LengthBytes)
        throw new IOException("a row ends behind its page: it is damaged, or somebody has made it up")
      bounds.check(bytes, at + RowPage.LengthBytes, length)
    }
  )

  private def iterator(columns: Int, look: RowPage.Look): Iterator[UnsafeRow] = new Iterator[UnsafeRow] {
    private[this] val row = new UnsafeRow(columns)
    private[this] var at  = 0

    override def hasNext: Boolean = at < filled

    override def next(): UnsafeRow = {
      val length = if (filled - at < 4) -1 else Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at)
      look(at, length, filled - at)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + RowPage.LengthBytes, length)
      at += RowPage.LengthBytes + length
      row
    }
  }
}

private[bulk] object RowPage {

  /** Given where a row begins, what it says of its length, and how much of the page is left. */
  private type Look = (Int, Int, Int) => Unit

  def empty(capacity: Int): RowPage = new RowPage(new Array[Byte](capacity), 0, 0)

  def of(bytes: Array[Byte], rows: Int): RowPage = new RowPage(bytes, bytes.length, rows)

  /** The space of a row besides its own bytes. Eight of them, because Spark reads its rows in whole words. */
  val LengthBytes: Int = 8
}
