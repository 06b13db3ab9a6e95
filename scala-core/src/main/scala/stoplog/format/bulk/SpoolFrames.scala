// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.{DataInputStream, DataOutputStream, EOFException, IOException, InputStream, OutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.zip.CRC32C

import net.jpountz.lz4.{LZ4Exception, LZ4Factory}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The content of spool files: a sequence of frames, so that concatenated files are again a valid file.
  *
  * A frame is `kind (1 byte), rows (4), plain length (4), stored length (4)`, with big-endian numbers, then
  * the stored bytes, an LZ4 block, and the CRC-32C of all preceding bytes (4). The first frame of a part is
  * the [[Header]]: how the part is written and the blocks so far. In this frame, `rows` is 1 after a large
  * epoch. All other frames hold rows.
  */
private[bulk] object SpoolFrames {

  /** The values that the next writer of a part needs.
    *
    * @param format    the result of [[BlockFormat.describe]] when the part was started
    * @param directory see [[BlockFormat.block]]
    * @param last      the epoch that wrote this header
    */
  final case class Header(format: String, directory: Array[Byte], last: LastEpoch = LastEpoch.Small)

  /** Whether an epoch wrote a large block ([[BlockFormat.largeBytes]]), as the next epoch probably will. */
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
    val rows = if (header.last == LastEpoch.Large) LargeEpoch else 0
    frame(HeaderKind, rows, bytes.toByteArray, bytes.size, room(bytes.size), out)
  }

  /** Writes a frame for each page with rows. */
  def write(pages: Iterator[RowPage], out: OutputStream): Unit = {
    var stored = Array.emptyByteArray
    pages.filterNot(_.isEmpty).foreach { page =>
      if (stored.length < mostStored(page.size)) stored = room(page.size)
      frame(RowsKind, page.rows, page.array, page.size, stored, out)
    }
  }

  /** Returns the next frame; `None` at the end. Error: `IOException` if the frame is truncated or damaged. */
  def read(in: InputStream): Option[Frame] = read(in, new PlainBytes)

  private def read(in: InputStream, plainBytes: PlainBytes): Option[Frame] = in.read() match {
    case -1   => None
    case kind =>
      val data   = new DataInputStream(in)
      val rows   = data.readInt()
      val plain  = data.readInt()
      val length = data.readInt()
      val stored = data.readNBytes(checked(length))
      if (data.readInt() != checksum(header(kind, rows, plain, length), stored, stored.length))
        throw new IOException("a checksum does not match")
      val bytes = plainBytes.of(stored, checked(plain))
      kind match {
        case RowsKind   => Some(Rows(RowPage.of(bytes, plain, rows)))
        case HeaderKind =>
          val content = new DataInputStream(new java.io.ByteArrayInputStream(bytes, 0, plain))
          val text    = new String(content.readNBytes(checked(content.readInt())), "UTF-8")
          val last    = if (rows == LargeEpoch) LastEpoch.Large else LastEpoch.Small
          Some(Head(Header(text, content.readAllBytes(), last)))
        case other =>
          throw new IOException(
            s"a frame of kind $other, of another release or of a machine of other byte order"
          )
      }
  }

  /** Returns the rows of all remaining frames of a file written by this process. A row and its values are
    * valid until the next call of `hasNext` or `next`.
    */
  def rows(in: InputStream, columns: Int): Iterator[UnsafeRow] = pages(in).flatMap(_.iterator(columns))

  /** Returns the rows of any file, valid as above. Error: `IOException` for a row that exceeds its bytes. */
  def rows(in: InputStream, bounds: RowBounds): Iterator[UnsafeRow] = pages(in).flatMap(_.checked(bounds))

  private def pages(in: InputStream): Iterator[RowPage] = {
    val plainBytes = new PlainBytes
    Iterator
      .continually(read(in, plainBytes))
      .takeWhile(_.isDefined)
      .collect { case Some(Rows(page)) => page }
  }

  /** An array for the rows of one frame after the other. With a small heap, an array of the size of a page
    * has heap regions of its own in G1, and each further array may start to mark the whole heap.
    */
  private final class PlainBytes {
    private[this] var plain = Array.emptyByteArray

    /** Returns an array that begins with the decompressed bytes, and is valid until the next call. The
      * decompressor reads only the stored bytes, regardless of their content.
      */
    def of(stored: Array[Byte], length: Int): Array[Byte] = {
      if (length.toLong > stored.length * MostRatio)
        throw new IOException("the recorded length of a frame is too large")
      if (plain.length < length) plain = new Array[Byte](length)
      val found =
        try lz4.safeDecompressor().decompress(stored, 0, stored.length, plain, 0, length)
        catch { case e: LZ4Exception => throw new IOException("a frame differs from the written bytes", e) }
      if (found != length) throw new EOFException(s"$found bytes of a frame of $length")
      plain
    }
  }

  private def mostStored(length: Int): Int = lz4.fastCompressor().maxCompressedLength(length)

  private def room(length: Int): Array[Byte] = new Array[Byte](mostStored(length))

  /** @param stored a buffer large enough for the compressed form of any `length` bytes */
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

  // A byte of LZ4 encodes at most 255 bytes.
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
