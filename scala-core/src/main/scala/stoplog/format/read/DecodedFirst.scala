// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{FilterInputStream, IOException, InputStream}

import scala.util.control.NonFatal

/** Returns all bytes that a decoder produces before a failure, and then throws the failure.
  *
  * Decoders drop the bytes that a failing call has decoded. So after a failure, a second decoder decodes the
  * file from its start, with calls for single bytes close to the failure. A failure of the storage is thrown
  * at once.
  *
  * @param raw   the encoded bytes of the file
  * @param again opens the encoded bytes once more
  */
private[read] final class DecodedFirst(
    raw: InputStream,
    decode: InputStream => InputStream,
    again: () => InputStream
) extends InputStream {
  private val storage                    = new DecodedFirst.Watched(raw)
  private var in                         = decode(storage)
  private var returned                   = 0L
  private var isSecond                   = false
  private var failure: Option[Throwable] = None
  private val one                        = new Array[Byte](1)

  override def read(): Int = {
    val single = new Array[Byte](1)
    if (read(single, 0, 1) < 0) -1 else single(0) & 0xff
  }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
    failure.foreach(throw _)
    val count =
      if (isSecond) singly(bytes, offset, length)
      else
        try in.read(bytes, offset, length)
        catch {
          case NonFatal(e) if !storage.hasFailed =>
            decodeAgain(e)
            failure.foreach(throw _)
            singly(bytes, offset, length)
        }
    if (count > 0) returned += count
    count
  }

  override def close(): Unit = in.close()

  /** Positions the second decoder after the returned bytes. */
  private def decodeAgain(e: Throwable): Unit = {
    in.close()
    try {
      in = decode(again())
      isSecond = true
      in.skipNBytes((returned - DecodedFirst.Near).max(0L))
      var left = returned.min(DecodedFirst.Near)
      while (left > 0 && failure.isEmpty && next() == 1) left -= 1
      if (left > 0 && failure.isEmpty) failure = Some(e)
    } catch {
      case NonFatal(other) =>
        if (other ne e) e.addSuppressed(other)
        failure = Some(e)
    }
  }

  private def singly(bytes: Array[Byte], offset: Int, length: Int): Int = {
    var count = 0
    var more  = length > 0
    while (more && count < length)
      next() match {
        case 1 =>
          bytes(offset + count) = one(0)
          count += 1
          more = failure.isEmpty
        case _ => more = false
      }
    if (count == 0 && length > 0) failure.foreach(throw _)
    if (count == 0 && length > 0) -1 else count
  }

  /** Decodes one byte, and returns the number of bytes as a read does. A failing call may have decoded the
    * byte before the failure: the byte is then no longer the byte that UTF-8 texts never contain.
    */
  private def next(): Int = {
    one(0) = DecodedFirst.Unset
    try in.read(one, 0, 1)
    catch {
      case NonFatal(e) =>
        failure = Some(e)
        if (one(0) == DecodedFirst.Unset) 0 else 1
    }
  }
}

private object DecodedFirst {

  /** No decoder decodes more bytes ahead of a failing call. */
  final val Near = 64L * 1024

  final val Unset: Byte = -1

  /** Distinguishes failures of the storage from failures of the decoder. */
  final class Watched(in: InputStream) extends FilterInputStream(in) {
    @volatile var hasFailed: Boolean = false

    override def read(): Int = watched(in.read())

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int =
      watched(in.read(bytes, offset, length))

    override def skip(bytes: Long): Long = watched(in.skip(bytes))

    private def watched[A](action: => A): A =
      try action
      catch {
        case e: IOException =>
          hasFailed = true
          throw e
      }
  }
}
