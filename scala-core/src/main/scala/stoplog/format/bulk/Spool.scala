// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{
  BufferedInputStream, BufferedOutputStream, FileInputStream, FileOutputStream, IOException, InputStream,
  OutputStream, RandomAccessFile
}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.commit.BadRow
import stoplog.error.Errors
import stoplog.thread.SharedMemory
import stoplog.thread.SharedMemory.UnnamedFile

/** Rows that wait for their block: in memory while there is some, else compressed in a file of the local disk.
  *
  * Holds nothing that a crash could lose: an epoch writes its spool files before a record names them.
  * Used by one thread.
  *
  * @param columns of each row
  */
private[bulk] final class Spool(columns: Int, memory: SharedMemory) {
  import Spool._

  private[this] val pages   = mutable.Queue.empty[RowPage]
  private[this] var spilled = Option.empty[RandomAccessFile]
  private[this] var held    = 0L
  private[this] var raw     = 0L
  private[this] var count   = 0L

  /** The rows' size in memory, without any compression. */
  def rawBytes: Long = raw
  def rows: Long     = count

  /** Its bytes of the heap, but for a little. */
  private[bulk] def heapBytes: Long = pages.iterator.map(_.capacity.toLong).sum

  /** Throws [[stoplog.commit.BadRow]], and is as before then, for a row that is too large. */
  def append(row: UnsafeRow): Unit = {
    checked(row)
    if (pages.isEmpty || !pages.last.append(row)) {
      makeRoom(row.getSizeInBytes + RowPage.LengthBytes)
      pages.last.append(row)
    }
    raw += row.getSizeInBytes
    count += 1
  }

  /** All rows in order, as often as one likes. The object is reused. */
  def iterator: Iterator[UnsafeRow] =
    spilled.iterator.flatMap(fromDisk) ++ pages.iterator.flatMap(_.iterator(columns))

  /** Writes the rows as frames of a spool file. */
  def writeTo(out: OutputStream): Unit = {
    spilled.foreach(file => fromStart(file).transferTo(out))
    SpoolFrames.write(pages.iterator, out)
  }

  /** Empties it, and gives back what it holds. */
  def clear(): Unit = {
    pages.clear()
    memory.giveBack(held)
    held = 0
    spilled.foreach(_.close())
    spilled = None
    raw = 0
    count = 0
  }

  /** The last page grows up to its full size, then comes the next: a thousand open parts of few rows hold little.
    *
    * Where there is no more memory, a smallest page is the price of going on: the only one that is not counted, or as
    * many full pages as there are parts would be beyond the limit.
    */
  private def makeRoom(needed: Int): Unit = {
    val last = pages.lastOption.filter(page => page.capacity < PageBytes && page.size + needed <= PageBytes)
    val size = last.fold(FirstBytes)(_.capacity * 4).min(PageBytes).max(last.fold(0)(_.size) + needed)
    if (!take(size.toLong - last.fold(0)(_.capacity))) {
      spill()
      pages += RowPage.empty(FirstBytes.max(needed))
    } else
      last match {
        case Some(page) => pages(pages.size - 1) = page.grownTo(size)
        case None       => pages += RowPage.empty(size)
      }
  }

  private def take(bytes: Long): Boolean = {
    val granted = memory.take(bytes)
    if (granted) held += bytes
    granted
  }

  /** Everything to the local disk. */
  private def spill(): Unit = {
    val file = spilled.getOrElse(UnnamedFile.open("stoplog-rows-"))
    spilled = Some(file)
    file.seek(file.length())
    val out = new BufferedOutputStream(new FileOutputStream(file.getFD), PageBytes)
    SpoolFrames.write(pages.iterator, out)
    out.flush()
    pages.clear()
    memory.giveBack(held)
    held = 0
  }

  private def fromDisk(file: RandomAccessFile): Iterator[UnsafeRow] =
    SpoolFrames.rows(fromStart(file), columns)

  /** One at a time: all share the position in the file. */
  private def fromStart(file: RandomAccessFile) = {
    file.seek(0)
    new BufferedInputStream(new FileInputStream(file.getFD), PageBytes)
  }
}

private[bulk] object Spool {

  /** The size that most buckets of a small epoch fill. */
  val FirstBytes: Int = 4 << 10

  /** The size that LZ4 makes good use of. With the bytes that the JVM and LZ4 add it stays below a megabyte: G1 gives an array of a
    * byte more two regions of its heap, where these are of a megabyte, so that rows would take twice what is counted.
    */
  val PageBytes: Int = (1 << 20) - (1 << 16)

  /** The row, if it can wait. Throws [[stoplog.commit.BadRow]]. */
  def checked(row: UnsafeRow): UnsafeRow =
    if (row.getSizeInBytes <= MostRowBytes) row
    else
      throw new BadRow(
        new IOException(s"it takes ${row.getSizeInBytes} bytes of memory, and $MostRowBytes are the most")
      )

  /** LZ4 compresses no more at once. */
  private final val MostRowBytes = 0x7e000000 - RowPage.LengthBytes
}

/** Rows of one task that wait to be written to a spool file: in memory while there is some, else on the local disk.
  *
  * Used by one thread.
  */
private[stoplog] final class WaitingRows(columns: Int) extends AutoCloseable {
  private val spool = new Spool(columns, SharedMemory.ofRows)

  def rows: Long = spool.rows

  /** The row is copied. Error: `STOPLOG_BAD_ROW` for one that is too large. */
  def append(row: UnsafeRow): Unit =
    try spool.append(row)
    catch { case bad: BadRow => throw Errors.badRow(None, bad.getCause) }

  /** All of them behind a note, with sums that are checked when they are [[WaitingRows.read read]] again. */
  def writeTo(out: OutputStream, note: String): Unit = {
    SpoolFrames.write(SpoolFrames.Header(note, Array.emptyByteArray), out)
    spool.writeTo(out)
  }

  override def close(): Unit = spool.clear()
}

private[stoplog] object WaitingRows {

  /** Reads the output of [[WaitingRows.writeTo]]: the note, and the rows, whose object is reused.
    *
    * @param columns those of rows under this note
    *
    * Error: `IOException` where it is torn, or a row does not lie within its bytes.
    */
  def read(in: InputStream)(columns: String => StructType): (String, Iterator[UnsafeRow]) =
    SpoolFrames.read(in) match {
      case Some(SpoolFrames.Head(header)) =>
        header.format -> SpoolFrames.rows(in, new RowBounds(columns(header.format)))
      case _ => throw new IOException("it does not begin with a note")
    }
}
