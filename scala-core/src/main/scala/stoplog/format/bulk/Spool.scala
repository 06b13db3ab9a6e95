// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{
  BufferedInputStream, BufferedOutputStream, FileInputStream, FileOutputStream, IOException, InputStream,
  OutputStream, RandomAccessFile
}

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import stoplog.error.Errors
import stoplog.part.RowMemory
import stoplog.thread.SharedMemory
import stoplog.thread.SharedMemory.UnnamedFile
import stoplog.writing.BadRow

/** Rows that wait for their block: in memory while memory is available, then compressed in a local file.
  *
  * Holds nothing that a crash could lose: an epoch writes its spool files before a record names them. Used by
  * one thread.
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

  /** The size of the rows in memory, uncompressed. */
  def rawBytes: Long = raw
  def rows: Long     = count

  /** The approximate heap use in bytes. */
  private[bulk] def heapBytes: Long = pages.iterator.map(_.capacity.toLong).sum

  /** Adds a row. Throws [[stoplog.writing.BadRow]] for a too large row; the spool is then unchanged. */
  def append(row: UnsafeRow): Unit = {
    checked(row)
    if (pages.isEmpty || !pages.last.append(row)) {
      makeRoom(row.getSizeInBytes + RowPage.LengthBytes)
      pages.last.append(row)
    }
    raw += row.getSizeInBytes
    count += 1
  }

  /** Returns all rows in order; may be called repeatedly. A row and its values are valid until the next call
    * of `hasNext` or `next`.
    */
  def iterator: Iterator[UnsafeRow] =
    spilled.iterator.flatMap(fromDisk) ++ pages.iterator.flatMap(_.iterator(columns))

  /** Writes the rows as frames of a spool file. */
  def writeTo(out: OutputStream): Unit = {
    spilled.foreach(file => fromStart(file).transferTo(out))
    SpoolFrames.write(pages.iterator, out)
  }

  /** Deletes all rows and releases the memory and the local file. */
  def clear(): Unit = {
    pages.clear()
    memory.giveBack(held)
    held = 0
    spilled.foreach(_.close())
    spilled = None
    raw = 0
    count = 0
  }

  /** Grows the last page up to the full size, then adds a page: a thousand open parts with few rows hold
    * little.
    *
    * If no memory is left, spills to disk and continues with a page of the smallest size. Only this page is
    * not counted: uncounted pages of full size, one per part, would exceed the limit.
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

  /** Moves all pages to the local disk. */
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

  /** Only one reader at a time: all readers share the position in the file. */
  private def fromStart(file: RandomAccessFile) = {
    file.seek(0)
    new BufferedInputStream(new FileInputStream(file.getFD), PageBytes)
  }
}

private[bulk] object Spool {

  /** The size filled by most buckets in a small epoch. */
  val FirstBytes: Int = 4 << 10

  /** A size that LZ4 compresses well. With the overhead of the JVM and LZ4, a page stays below 1 MiB. With
    * heap regions of 1 MiB, G1 gives a larger array two regions, so that rows would take twice the counted
    * memory.
    */
  val PageBytes: Int = (1 << 20) - (1 << 16)

  /** Returns the row. Throws [[stoplog.writing.BadRow]] if the row is too large to wait. */
  def checked(row: UnsafeRow): UnsafeRow =
    if (row.getSizeInBytes <= MostRowBytes) row
    else
      throw tooLarge(s"it needs ${row.getSizeInBytes} bytes of memory, and the maximum is $MostRowBytes")

  /** Returns the row. Throws [[stoplog.writing.BadRow]] if the row is too large to wait, or if the memory of
    * the process does not suffice to encode the row.
    */
  def encodable(row: UnsafeRow, heapBytes: Long): UnsafeRow = {
    val size = row.getSizeInBytes.toLong
    if (size > RowMemory.most(heapBytes))
      RowMemory.problem(size, "bytes of memory", heapBytes).foreach(why => throw tooLarge(why))
    checked(row)
  }

  private def tooLarge(why: String): BadRow = new BadRow(new IOException(why))

  /** The limit of LZ4 for one block. */
  private final val MostRowBytes = 0x7e000000L - RowPage.LengthBytes
}

/** Rows of one task waiting for a spool file: in memory while memory is available, else on the local disk.
  * Used by one thread.
  */
private[stoplog] final class WaitingRows(columns: Int) extends AutoCloseable {
  private val spool = new Spool(columns, SharedMemory.ofRows)

  def rows: Long = spool.rows

  /** Copies the row. Error: `STOPLOG_BAD_ROW` for a row that is too large. */
  def append(row: UnsafeRow): Unit =
    try spool.append(row)
    catch { case bad: BadRow => throw Errors.badRow(None, bad.getCause) }

  /** Writes a note and then all rows, with checksums for [[WaitingRows.read read]]. */
  def writeTo(out: OutputStream, note: String): Unit = {
    SpoolFrames.write(SpoolFrames.Header(note, Array.emptyByteArray), out)
    spool.writeTo(out)
  }

  override def close(): Unit = spool.clear()
}

private[stoplog] object WaitingRows {

  /** Reads the output of [[WaitingRows.writeTo]]: the note, and the rows. Each row is a copy.
    *
    * @param columns of the rows, for a given note
    *
    * Error: `IOException` if the input is truncated, or a row exceeds its bytes.
    */
  def read(in: InputStream)(columns: String => StructType): (String, Iterator[UnsafeRow]) =
    SpoolFrames.read(in) match {
      case Some(SpoolFrames.Head(header)) =>
        header.format -> SpoolFrames.rows(in, new RowBounds(columns(header.format))).map(_.copy())
      case _ => throw new IOException("it does not begin with a description")
    }
}
