// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{EOFException, FilterInputStream, IOException, InputStream}

import org.apache.hadoop.io.compress.{BlockDecompressorStream, Decompressor}

/** Hadoop's blocks of LZ4 and Snappy, without its leniency: it takes any trouble with a block for the end of the file,
  * and rows would be missing without a word.
  */
private[read] final class WholeBlocks private (raw: WholeBlocks.Watched, decompressor: Decompressor)
    extends BlockDecompressorStream(raw, decompressor, WholeBlocks.BufferBytes) {
  def this(in: InputStream, decompressor: Decompressor) =
    this(new WholeBlocks.Watched(in), decompressor)

  private var trouble: Option[IOException] = None

  override protected def decompress(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val read = super.decompress(bytes, offset, length)
    if (read < 0) {
      (trouble ++ raw.trouble).headOption.foreach(throw _)
      if (raw.taken > 0 && raw.taken < WholeBlocks.LengthBytes) throw WholeBlocks.torn
    }
    read
  }

  override protected def getCompressedData(): Int =
    try {
      val length =
        in.readNBytes(WholeBlocks.LengthBytes).foldLeft(0)((sum, byte) => (sum << 8) | (byte & 0xff))
      if (raw.atEnd) throw WholeBlocks.torn
      if (length < 0) throw new IOException("the length of a block is negative")
      val read = fill(length)
      raw.taken = 0
      read
    } catch {
      case e: IOException =>
        trouble = Some(e)
        throw e
    }

  /** A length that is none may be anything: no buffer is made before the bytes are there. */
  private def fill(length: Int): Int = {
    val read =
      if (length <= buffer.length) in.readNBytes(buffer, 0, length)
      else {
        buffer = in.readNBytes(length)
        buffer.length
      }
    if (read < length) throw WholeBlocks.torn
    length
  }
}

private object WholeBlocks {
  final val BufferBytes = 256 * 1024
  final val LengthBytes = 4

  def torn: EOFException = new EOFException("it ends in the middle of a block")

  /** Remembers what a caller would forget. */
  final class Watched(in: InputStream) extends FilterInputStream(in) {
    var taken: Int                   = 0 // bytes since somebody set it to 0
    var atEnd: Boolean               = false
    var trouble: Option[IOException] = None

    override def read(): Int = watched(in.read()) { byte =>
      if (byte >= 0) taken += 1
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
      watched(in.read(bytes, offset, length)) { count =>
        if (count > 0) taken += count
      }

    private def watched(action: => Int)(count: Int => Unit): Int =
      try {
        val result = action
        if (result < 0) atEnd = true
        count(result)
        result
      } catch {
        case e: IOException =>
          trouble = Some(e)
          throw e
      }
  }
}
