// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{BufferedInputStream, ByteArrayInputStream, IOException, InputStream, SequenceInputStream}

import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream

/** Decodes the members of a bzip2 file as one stream.
  *
  * Each block has its own checksum. If only the trailer of a member or the header of the next member is
  * damaged, all blocks are intact, and the next member starts at a known byte. Then the next member is
  * decoded as well, and the failure is thrown at the end of the file. Spark's reader returns these rows, too.
  * A lost block ends the decoding, because lines before and after the block would be joined.
  */
private[read] final class Bzip2Members(raw: InputStream) extends InputStream {
  import Bzip2Members._

  private val storage                      = new DecodedFirst.Watched(raw)
  private val in                           = new BufferedInputStream(storage, BufferBytes)
  private var member: Option[InputStream]  = None
  private var trouble: Option[IOException] = None // thrown at the end of what can be decoded
  private var isOver                       = false
  private val one                          = new Array[Byte](1)

  override def read(): Int = if (read(one, 0, 1) < 0) -1 else one(0) & 0xff

  /** The decoder returns single bytes, because a failing call for several bytes drops the decoded bytes. */
  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    var count = 0
    while (count < length && !isOver) next() match {
      case -1   => ()
      case byte =>
        bytes(offset + count) = byte.toByte
        count += 1
    }
    if (count == 0 && length > 0) {
      trouble.foreach(throw _)
      -1
    } else count
  }

  override def close(): Unit = in.close()

  /** Returns the next byte, or -1 at the end of a member. */
  private def next(): Int =
    try
      member match {
        case Some(decoder) =>
          val byte = decoder.read()
          if (byte < 0) begin()
          byte
        case None =>
          member = Some(decoderOf(in))
          -1
      }
    catch {
      case e: IOException if !storage.hasFailed =>
        if (trouble.isEmpty) trouble = Some(e)
        resume()
        -1
    }

  /** Starts the member after a whole member, if any. */
  private def begin(): Unit = {
    val head = peek(HeadBytes)
    if (head.isEmpty) isOver = true
    else if (isMagic(head) || !hasBlock(head)) member = Some(decoderOf(in))
    else {
      trouble = trouble.orElse(Some(new IOException("the header of a bzip2 member is damaged")))
      beginWithoutHeader()
    }
  }

  /** Starts the member after a damaged trailer. The decoder stopped before the checksum in the trailer, or
    * after the checksum.
    */
  private def resume(): Unit = {
    val ahead = peek(SumBytes + HeadBytes)
    val skip  = Seq(0, SumBytes).find { at =>
      val head = ahead.drop(at)
      isMagic(head) && hasBlock(head)
    }
    if (member.isEmpty || skip.isEmpty) isOver = true
    else {
      in.skipNBytes(skip.get.toLong)
      member = Some(decoderOf(in))
    }
  }

  /** Blocks of every size can be decoded with the largest size. */
  private def beginWithoutHeader(): Unit = {
    in.skipNBytes(MagicBytes.toLong)
    member = Some(decoderOf(new SequenceInputStream(new ByteArrayInputStream(LargestBlocks), in)))
  }

  /** Reads from the bytes of one member only what the decoder needs. */
  private def decoderOf(bytes: InputStream) = new BZip2CompressorInputStream(bytes, false)

  private def peek(count: Int): Array[Byte] = {
    in.mark(count)
    try in.readNBytes(count)
    finally in.reset()
  }
}

private object Bzip2Members {
  private final val BufferBytes = 64 * 1024
  private final val MagicBytes  = 4  // "BZh" and a digit for the size of the blocks
  private final val HeadBytes   = 10 // with the start of the first block
  private final val SumBytes    = 4
  private val LargestBlocks     = "BZh9".getBytes("US-ASCII")
  private val Block             = Array[Byte](0x31, 0x41, 0x59, 0x26, 0x53, 0x59)

  private def isMagic(head: Array[Byte]): Boolean =
    head.length >= MagicBytes && head.startsWith(LargestBlocks.init) && head(3) >= '1' && head(3) <= '9'

  private def hasBlock(head: Array[Byte]): Boolean = head.drop(MagicBytes).startsWith(Block)
}
