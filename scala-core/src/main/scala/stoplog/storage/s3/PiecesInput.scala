// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.io.InputStream

/** Reads pieces one behind the other. With a mark, to which clients go back when they send a request once more.
  *
  * @param bytes how many there are; the last piece may be longer
  */
private[s3] final class PiecesInput(pieces: Vector[Array[Byte]], bytes: Int) extends InputStream {
  private[this] var at     = 0
  private[this] var marked = 0

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  override def read(into: Array[Byte], offset: Int, length: Int): Int =
    if (length == 0) 0
    else if (at == bytes) -1
    else {
      var index = 0
      var start = 0
      while (start + pieces(index).length <= at) {
        start += pieces(index).length
        index += 1
      }
      val piece = pieces(index)
      val count = length.min(bytes - at).min(start + piece.length - at)
      System.arraycopy(piece, at - start, into, offset, count)
      at += count
      count
    }

  override def available(): Int = bytes - at

  override def markSupported(): Boolean = true

  override def mark(limit: Int): Unit = marked = at

  override def reset(): Unit = at = marked
}
