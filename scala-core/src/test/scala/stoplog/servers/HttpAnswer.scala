// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{EOFException, InputStream, OutputStream}

import scala.annotation.tailrec

/** What a server answers, up to its body. */
final class HttpAnswer private (head: HttpHead) {
  val status: Int = head.firstLine.split(' ')(1).toInt

  /** Another answer to the same request follows. */
  def isInterim: Boolean = status / 100 == 1

  /** Passes it on, with its body. */
  def copy(method: String, in: InputStream, out: OutputStream): Unit = {
    out.write(head.bytes)
    head.body match {
      case _ if isBare(method) => ()
      case HttpBody.Unsaid     => in.transferTo(out)
      case body                => body.copy(in, out)
    }
    out.flush()
  }

  /** Whether its end can be told without the connection's, and the server does not close that. */
  def keepsConnection(method: String): Boolean =
    (isBare(method) || head.body != HttpBody.Unsaid) && !head.says("Connection", "close")

  private def isBare(method: String): Boolean = method == "HEAD" || status == 204 || status == 304
}

object HttpAnswer {

  def read(in: InputStream): HttpAnswer =
    new HttpAnswer(HttpHead.read(in).getOrElse(throw new EOFException("no answer from the server")))

  @tailrec def readFinal(in: InputStream): HttpAnswer = {
    val answer = read(in)
    if (answer.isInterim) readFinal(in) else answer
  }
}
