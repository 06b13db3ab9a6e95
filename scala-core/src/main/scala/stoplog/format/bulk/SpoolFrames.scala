// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{DataInputStream, DataOutputStream, EOFException, IOException, InputStream, OutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32C

import net.jpountz.lz4.{LZ4Exception, LZ4Factory}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The content of spool files: frames one behind the other, so that files put together are a file again.
  *
  * A frame is `kind (1 byte), rows (4), plain length (4), stored length (4)`, numbers big-endian, the stored bytes, which
  * are an LZ4 block, and the CRC-32C of all that (4). A part's first frame tells how it is written and what has been
  * written ([[Header]]), with 1 for rows behind a large epoch; all others hold rows.
  */
private[bulk] object SpoolFrames {

  /** The facts that the next writer of a part needs.
    *
    * @param format    the answer of [[BulkFormat.describe]] when the part was begun
    * @param directory see [[BulkFormat.block]]
    * @param last      the epoch that wrote it
    */
  final case class Header(format: String, directory: Array[Byte], last: LastEpoch = LastEpoch.Small)

  /** Whether an epoch brought a large block of its own ([[BulkFormat.largeBytes]]), as the next one probably does. */
  sealed trait LastEpoch extends Product with Serializable
  object LastEpoch {
    case object Small extends LastEpoch
    case object Large extends LastEpoch
  }

  sealed trait Frame
  final case class Head(header: Header) extends Frame
  final case class Rows(page: RowPage)  extends Frame

  def write(header: Header, out: OutputStream): Unit = {
    val bytes = new java.io.ByteArrayOutputStream()
    val data  = new DataOutputStream(bytes)
    val text  = header.format.getBytes("UTF-8")
    data.writeInt(text.length)
    data.write(text)
    data.write(header.directory)
    // A former release passes over this number.
    val rows = if (header.last == LastEpoch.Large) LargeEpoch else 0
    frame(HeaderKind, rows, bytes.toByteArray, bytes.size, room(bytes.size), out)
  }

  /** A frame for each page that has rows. */
  def write(pages: Iterator[RowPage], out: OutputStream): Unit = {
    var stored = Array.emptyByteArray
    pages.filterNot(_.isEmpty).foreach { page =>
      if (stored.length < mostStored(page.size)) stored = room(page.size)
      frame(RowsKind, page.rows, page.array, page.size, stored, out)
    }
  }

  /** The next frame; `None` at the end. Error: `IOException` when it is cut off, or not what was written. */
  def read(in: InputStream): Option[Frame] = in.read() match {
    case -1   => None
    case kind =>
      val data   = new DataInputStream(in)
      val rows   = data.readInt()
      val plain  = data.readInt()
      val length = data.readInt()
      val stored = data.readNBytes(checked(length))
      if (data.readInt() != checksum(header(kind, rows, plain, length), stored, stored.length))
        throw new IOException("a checksum does not match")
      val bytes = plainOf(stored, checked(plain))
      kind match {
        case RowsKind   => Some(Rows(RowPage.of(bytes, rows)))
        case HeaderKind =>
          val content = new DataInputStream(new java.io.ByteArrayInputStream(bytes))
          val text    = new String(content.readNBytes(checked(content.readInt())), "UTF-8")
          val last    = if (rows == LargeEpoch) LastEpoch.Large else LastEpoch.Small
          Some(Head(Header(text, content.readAllBytes(), last)))
        case other =>
          throw new IOException(
            s"a frame of kind $other, of another release or of a machine of other byte order"
          )
      }
  }

  /** The rows of all frames to come, of a file without any other writer. The object is reused. */
  def rows(in: InputStream, columns: Int): Iterator[UnsafeRow] = pages(in).flatMap(_.iterator(columns))

  /** The rows of any file. Error: `IOException` for a row that does not lie within its bytes. */
  def rows(in: InputStream, bounds: RowBounds): Iterator[UnsafeRow] = pages(in).flatMap(_.checked(bounds))

  private def pages(in: InputStream): Iterator[RowPage] = Iterator
    .continually(read(in))
    .takeWhile(_.isDefined)
    .collect { case Some(Rows(page)) => page }

  /** The decompressor stays within the stored bytes, whatever they say. */
  private def plainOf(stored: Array[Byte], length: Int): Array[Byte] = {
    if (length.toLong > stored.length * MostRatio) throw new IOException("a frame says that it is too long")
    val plain = new Array[Byte](length)
    val found =
      try lz4.safeDecompressor().decompress(stored, 0, stored.length, plain, 0)
      catch { case e: LZ4Exception => throw new IOException("a frame is not what was written", e) }
    if (found != length) throw new EOFException(s"$found bytes of a frame of $length")
    plain
  }

  private def mostStored(length: Int): Int = lz4.fastCompressor().maxCompressedLength(length)

  private def room(length: Int): Array[Byte] = new Array[Byte](mostStored(length))

  /** @param stored has room for what is stored of so many bytes, whatever they are */
  private def frame(
      kind: Int,
      rows: Int,
      plain: Array[Byte],
      length: Int,
      stored: Array[Byte],
      out: OutputStream
  ): Unit = {
    val count = lz4.fastCompressor().compress(plain, 0, length, stored, 0)
    val head  = header(kind, rows, length, count)
    val data  = new DataOutputStream(out)
    data.write(head)
    data.write(stored, 0, count)
    data.writeInt(checksum(head, stored, count))
    data.flush()
  }

  private def header(kind: Int, rows: Int, plain: Int, stored: Int): Array[Byte] =
    ByteBuffer.allocate(HeaderBytes).put(kind.toByte).putInt(rows).putInt(plain).putInt(stored).array()

  private def checksum(head: Array[Byte], stored: Array[Byte], length: Int): Int = {
    val crc = new CRC32C()
    crc.update(head)
    crc.update(stored, 0, length)
    crc.getValue.toInt
  }

  private def checked(length: Int): Int =
    if (length < 0) throw new EOFException(s"a length of $length") else length

  private def lz4 = LZ4Factory.fastestInstance()

  // A byte of LZ4 stands for 255 at most.
  private final val MostRatio   = 256L
  private final val HeaderBytes = 13
  private final val HeaderKind  = 1
  private final val LargeEpoch  = 1

  // Rows are in the byte order of the machine that wrote them.
  private final val RowsKind = 2
  locally(
    require(
      ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN,
      "rows are kept on little-endian machines only"
    )
  )
}
