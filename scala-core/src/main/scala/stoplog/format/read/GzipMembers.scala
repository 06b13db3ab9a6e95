// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{EOFException, IOException, InputStream}
import java.util.zip.{CRC32, DataFormatException, Inflater}

/** Decodes the members of a gzip file as one stream (RFC 1952).
  *
  * Returns all bytes that were decoded before a damaged place, and then throws: other readers drop the bytes
  * that the failing call has decoded, and Java's own reader treats a damaged header of a later member as the
  * end of the file. Zero bytes after the last member are padding, as for the program `gzip`.
  */
private[read] final class GzipMembers(in: InputStream) extends InputStream {
  import GzipMembers._

  private val inflater                     = new Inflater(true)
  private val sum                          = new CRC32
  private val stored                       = new Array[Byte](BufferBytes)
  private var at                           = 0 // the next of the stored bytes
  private var end                          = 0
  private var state: State                 = First
  private var trouble: Option[IOException] = None
  private val one                          = new Array[Byte](1)

  override def read(): Int = if (read(one, 0, 1) < 0) -1 else one(0) & 0xff

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    trouble.foreach(throw _)
    var count = 0
    while (count == 0 && length > 0 && state != Over) state match {
      case Inside  => count = inflated(bytes, offset, length)
      case Trailer => checkTrailer()
      case _       => begin()
    }
    if (count == 0 && length > 0) -1 else count
  }

  override def close(): Unit =
    try inflater.end()
    finally in.close()

  private def inflated(bytes: Array[Byte], offset: Int, length: Int): Int = {
    val before = inflater.getBytesWritten
    val count  =
      try inflater.inflate(bytes, offset, length)
      catch {
        case e: DataFormatException =>
          trouble = Some(new IOException(s"the gzip data is damaged: ${e.getMessage}", e))
          (inflater.getBytesWritten - before).toInt
      }
    sum.update(bytes, offset, count)
    if (count == 0) trouble.foreach(throw _)
    if (trouble.isEmpty)
      if (inflater.finished()) {
        at = end - inflater.getRemaining
        state = Trailer
      } else if (count == 0) feed()
    count
  }

  private def feed(): Unit = {
    if (inflater.needsDictionary()) throw damaged("the gzip data needs a dictionary")
    if (!fill()) throw new EOFException("the file ends in the middle of a gzip member")
    inflater.setInput(stored, at, end - at)
    at = end
  }

  private def checkTrailer(): Unit = {
    val (found, length) = (int(), int())
    if (found != sum.getValue.toInt || length != inflater.getBytesWritten.toInt)
      throw damaged("the checksum of a gzip member does not match")
    state = Between
  }

  /** Starts the next member, if any. */
  private def begin(): Unit = {
    val first = if (fill()) byte() else -1
    if (first < 0 && state == Between) state = Over
    else if (first == 0 && state == Between) skipPadding()
    else if (first != Magic1 || byte() != Magic2 || byte() != Deflate)
      throw damaged(
        if (state == Between) "the bytes after the last gzip member are not a gzip member"
        else "the file does not begin with a gzip header"
      )
    else {
      skipHeader(byte())
      inflater.reset()
      sum.reset()
      inflater.setInput(stored, at, end - at)
      at = end
      state = Inside
    }
  }

  private def skipPadding(): Unit = {
    while (fill())
      if (byte() != 0) throw damaged("the bytes after the last gzip member are not a gzip member")
    state = Over
  }

  private def skipHeader(flags: Int): Unit = {
    if ((flags & Reserved) != 0) throw damaged("the header of a gzip member has unknown flags")
    skip(TimeSystemBytes)
    if ((flags & Extra) != 0) skip(byte() | byte() << 8)
    if ((flags & Name) != 0) while (byte() != 0) ()
    if ((flags & Comment) != 0) while (byte() != 0) ()
    if ((flags & HeaderSum) != 0) skip(2)
  }

  private def skip(bytes: Int): Unit = for (_ <- 0 until bytes) byte()

  private def int(): Int = byte() | byte() << 8 | byte() << 16 | byte() << 24

  private def byte(): Int = {
    if (!fill()) throw damaged("the file ends in the middle of a gzip member")
    at += 1
    stored(at - 1) & 0xff
  }

  /** Whether stored bytes are left. Reads if necessary. */
  private def fill(): Boolean = at < end || {
    at = 0
    end = in.read(stored, 0, stored.length).max(0)
    end > 0
  }

  /** Damage is permanent: a later call must not continue behind the damage. */
  private def damaged(why: String): IOException = {
    val error = new IOException(why)
    trouble = Some(error)
    error
  }
}

private object GzipMembers {
  private sealed trait State
  private case object First   extends State
  private case object Inside  extends State
  private case object Trailer extends State
  private case object Between extends State
  private case object Over    extends State

  private final val Magic1          = 0x1f
  private final val Magic2          = 0x8b
  private final val Deflate         = 8
  private final val HeaderSum       = 2
  private final val Extra           = 4
  private final val Name            = 8
  private final val Comment         = 16
  private final val Reserved        = 0xe0
  private final val TimeSystemBytes = 6
  private final val BufferBytes     = 64 * 1024
}
