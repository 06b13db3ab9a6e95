// SPDX-License-Identifier: Apache-2.0
package stoplog.format.compress

import java.io.OutputStream

/** One member (gzip), frame (zstd) or run of blocks (lz4, snappy, bzip2) of a compressed part.
  *
  * A part is a sequence of members, one per epoch with rows for the part. After [[finish]] the bytes of the
  * part are a complete file for any reader, and another member may follow.
  *
  * Not thread-safe.
  */
private[stoplog] abstract class MemberStream extends OutputStream {

  /** Writes all buffered bytes and the member's end to the underlying stream, which stays open and is not
    * flushed. No bytes may be written afterwards. A second call does nothing. An empty member is not written.
    */
  def finish(): Unit

  /** Releases the compressor. An unfinished member is given up: its remaining bytes are not written. */
  override def close(): Unit

  /** Does nothing: only after [[finish]] can the part be resumed. */
  override def flush(): Unit = ()
}

private[stoplog] object MemberStream {

  /** A member based on a codec's stream, whose `close` writes the member's end.
    *
    * Rows are small, and codecs call native code for each write, so this class buffers the bytes first.
    *
    * Hadoop's block streams end with a block of length 0 if no bytes remain for their last block. This
    * happens in an empty member, and after a write larger than a block. Readers treat such a block as the end
    * of the file, and ignore all later members. Therefore the codec's stream is opened with the first byte,
    * and receives slices that fit into one block.
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

    /** Smaller than a block of any codec. */
    private val SliceBytes = 64 * 1024
  }
}

/** Prevents a library from closing the part with "its" stream. Discards all bytes while detached. */
private[format] final class DetachableStream(out: OutputStream) extends OutputStream {

  private var attached = true

  /** Discards all later bytes. */
  def detach(): Unit = attached = false

  /** Writes all later bytes to the target again. */
  def attach(): Unit = attached = true

  override def write(b: Int): Unit = if (attached) out.write(b)

  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit =
    if (attached) out.write(bytes, offset, count)

  // The part's stream decides when bytes are sent to storage.
  override def flush(): Unit = ()

  override def close(): Unit = ()
}
