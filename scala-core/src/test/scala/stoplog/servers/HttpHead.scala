// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{ByteArrayOutputStream, EOFException, InputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1

/** The first line and the headers of an HTTP message, with the very bytes that came. */
final class HttpHead private (val bytes: Array[Byte]) {
  private val lines = new String(bytes, ISO_8859_1).split("\r\n").toSeq

  def firstLine: String = lines.head

  /** By their names in lower case. */
  lazy val headers: Map[String, String] = lines.tail.map { line =>
    val (name, value) = line.splitAt(line.indexOf(':'))
    name.toLowerCase -> value.drop(1).trim
  }.toMap

  def header(name: String): Option[String] = headers.get(name.toLowerCase)

  def says(name: String, value: String): Boolean = header(name).exists(_.toLowerCase.contains(value))

  /** The same of another first line. */
  def withFirstLine(line: String): HttpHead =
    new HttpHead(line.getBytes(ISO_8859_1) ++ bytes.drop(firstLine.length)) // one byte for each character

  /** How the message goes on: bytes known in advance, chunks, or neither. */
  def body: HttpBody =
    if (says("Transfer-Encoding", "chunked")) HttpBody.Chunked
    else header("Content-Length").fold[HttpBody](HttpBody.Unsaid)(length => HttpBody.Sized(length.toLong))
}

object HttpHead {

  /** None when the sender has closed the connection instead. */
  def read(in: InputStream): Option[HttpHead] = {
    val bytes = new ByteArrayOutputStream
    var end   = 0 // how much of the empty line that ends it has come
    while (end < End.length) {
      val byte = in.read()
      if (byte < 0) {
        if (bytes.size == 0) return None
        throw new EOFException(s"in the middle of: $bytes")
      }
      bytes.write(byte)
      end = if (byte == End(end)) end + 1 else if (byte == End(0)) 1 else 0
    }
    Some(new HttpHead(bytes.toByteArray))
  }

  private val End = "\r\n\r\n"
}
