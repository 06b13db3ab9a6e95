// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{IOException, InputStream, OutputStream}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.thread.SharedMemory

/** Rows of one task that wait to be written to a side file: in memory while there is some, else on the local disk.
  *
  * Used by one thread.
  */
private[stoplog] final class WaitingRows(columns: Int) extends AutoCloseable {
  private val spool = new Spool(columns, SharedMemory.ofRows)

  def rows: Long = spool.rows

  /** The row is copied. */
  def append(row: UnsafeRow): Unit = spool.append(row)

  /** All of them behind a note, with sums that are checked when they are [[WaitingRows.read read]] again. */
  def writeTo(out: OutputStream, note: String): Unit = {
    SideFrames.write(SideFrames.Header(note, Array.emptyByteArray), out)
    spool.writeTo(out)
  }

  override def close(): Unit = spool.clear()
}

private[stoplog] object WaitingRows {

  /** What [[WaitingRows.writeTo]] wrote: the note, and the rows, whose object is reused.
    *
    * @param columns those of rows under this note
    *
    * Error: `IOException` where it is torn, or a row does not lie within its bytes.
    */
  def read(in: InputStream)(columns: String => StructType): (String, Iterator[UnsafeRow]) =
    SideFrames.read(in) match {
      case Some(SideFrames.Head(header)) =>
        header.format -> SideFrames.rows(in, new RowBounds(columns(header.format)))
      case _ => throw new IOException("it does not begin with a note")
    }
}
