// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** One member (gzip), frame (zstd) or run of blocks (lz4, snappy, bzip2) of a compressed part.
  *
  * A part is several of these one after another, one for each epoch that wrote to it: after [[finish]] the
  * bytes of the part are a whole file for any reader, and a next member may follow.
  *
  * Not safe for use by several threads.
  */
private[stoplog] abstract class MemberStream extends OutputStream {

  /** Writes what is still buffered and the member's end to the underlying stream, which stays open and is not
    * flushed. Nothing may be written afterwards. A second call does nothing. A member without a byte is not written.
    */
  def finish(): Unit

  /** Frees what the compressor holds. A member that was not finished is given up: nothing more of it is
    * written.
    */
  override def close(): Unit

  /** Does nothing: only [[finish]] brings a member to a point from which the part can go on. */
  override def flush(): Unit = ()
}

private[stoplog] object MemberStream {

  /** A member made by a codec's own stream, whose `close` writes the member's end.
    *
    * Rows are small and codecs cross into native code with each call, so the bytes are collected here first.
    *
    * Hadoop's streams of blocks end with a block of length 0 where nothing is left for their last one: in a member without a
    * byte, and behind a write that is larger than a block. Readers take such a block for the end of the file, and see none of the
    * members behind it. So the stream begins with the first byte, and gets slices of which each fits into a block.
    */
  private[compress] final class CodecMember(out: OutputStream, codec: OutputStream => OutputStream)
      extends MemberStream {

    private val target     = new DetachableStream(out)
    private val buffer     = new Array[Byte](CodecMember.BufferBytes)
    private var buffered   = 0
    private var compressor = Option.empty[OutputStream]
    private var over       = false

    override def write(b: Int): Unit = {
      if (buffered == buffer.length) drain()
      buffer(buffered) = b.toByte
      buffered += 1
    }

    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
      if (count >= buffer.length) {
        drain()
        compress(bytes, offset, count)
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
      compressor.foreach(_.close())
    }

    private def drain(): Unit = {
      compress(buffer, 0, buffered)
      buffered = 0
    }

    private def compress(bytes: Array[Byte], offset: Int, count: Int): Unit = {
      var done = 0
      while (done < count) {
        val slice = (count - done).min(CodecMember.SliceBytes)
        opened().write(bytes, offset + done, slice)
        done += slice
      }
    }

    private def opened(): OutputStream = compressor.getOrElse {
      val begun = codec(target)
      compressor = Some(begun)
      begun
    }
  }

  private[compress] object CodecMember {
    private val BufferBytes = 16 * 1024

    /** Less than a block of any codec takes. */
    private val SliceBytes = 64 * 1024
  }
}

/** Lets a library close "its" stream without closing the part, and, once detached, write to nowhere. */
private[format] final class DetachableStream(out: OutputStream) extends OutputStream {

  private var attached = true

  /** From now on what is written is dropped. */
  def detach(): Unit = attached = false

  /** From now on what is written arrives again. */
  def attach(): Unit = attached = true

  override def write(b: Int): Unit = if (attached) out.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (attached) out.write(bytes, offset, count)

  // The part's own stream decides when bytes go to storage.
  override def flush(): Unit = ()

  override def close(): Unit = ()
}
