// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** A member made by a codec's own stream, whose `close` writes the member's end.
  *
  * Rows are small and codecs cross into native code with each call, so the bytes are collected here first.
  */
private[compress] final class CodecMember(out: OutputStream, codec: OutputStream => OutputStream)
    extends MemberStream {

  private val target                   = new DetachableStream(out)
  private val compressor: OutputStream = codec(target)
  private val buffer                   = new Array[Byte](CodecMember.BufferBytes)
  private var buffered                 = 0
  private var over                     = false

  override def write(b: Int): Unit = {
    if (buffered == buffer.length) drain()
    buffer(buffered) = b.toByte
    buffered += 1
  }

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (count >= buffer.length) {
      drain()
      compressor.write(bytes, offset, count)
    } else {
      if (count > buffer.length - buffered) drain()
      System.arraycopy(bytes, offset, buffer, buffered, count)
      buffered += count
    }

  override def finish(): Unit = if (!over) {
    drain()
    end()
  }

  override def close(): Unit = if (!over) {
    target.detach()
    end()
  }

  private def end(): Unit = {
    over = true
    compressor.close()
  }

  private def drain(): Unit = {
    compressor.write(buffer, 0, buffered)
    buffered = 0
  }
}

private[compress] object CodecMember {
  private val BufferBytes = 16 * 1024
}
