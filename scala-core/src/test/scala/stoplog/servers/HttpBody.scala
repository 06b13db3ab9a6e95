// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{EOFException, InputStream, OutputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.annotation.tailrec

/** How the body of an HTTP message is delimited. */
sealed trait HttpBody {

  /** Passes the body on, with the very bytes that came. */
  def copy(in: InputStream, out: OutputStream): Unit
}

object HttpBody {

  final case class Sized(bytes: Long) extends HttpBody {
    override def copy(in: InputStream, out: OutputStream): Unit = exactly(in, out, bytes)
  }

  case object Chunked extends HttpBody {
    @tailrec override def copy(in: InputStream, out: OutputStream): Unit = {
      val size = line(in)
      out.write(size.getBytes(ISO_8859_1))
      val bytes = Integer.parseInt(size.takeWhile(_ != ';').trim, 16)
      if (bytes > 0) {
        exactly(in, out, bytes + 2L)
        copy(in, out)
      } else trailers(in, out)
    }

    @tailrec private def trailers(in: InputStream, out: OutputStream): Unit = {
      val trailer = line(in)
      out.write(trailer.getBytes(ISO_8859_1))
      if (trailer.trim.nonEmpty) trailers(in, out)
    }
  }

  /** No body in a request; in an answer, all until the connection ends. */
  case object Unsaid extends HttpBody {
    override def copy(in: InputStream, out: OutputStream): Unit = ()
  }

  private def exactly(in: InputStream, out: OutputStream, bytes: Long): Unit = {
    val buffer = new Array[Byte](1 << 16)
    var left   = bytes
    while (left > 0) {
      val read = in.read(buffer, 0, left.min(buffer.length.toLong).toInt)
      if (read < 0) throw new EOFException(s"$left bytes of the body are missing")
      out.write(buffer, 0, read)
      left -= read
    }
  }

  /** With its end. */
  private def line(in: InputStream): String = {
    val text = new StringBuilder
    while (!text.endsWith("\r\n")) {
      val byte = in.read()
      if (byte < 0) throw new EOFException("in the middle of a chunked body")
      text += byte.toChar
    }
    text.result()
  }
}
