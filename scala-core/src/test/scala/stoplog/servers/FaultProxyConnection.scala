// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

import java.io.{BufferedInputStream, BufferedOutputStream, OutputStream}
import java.net.{Socket, URI}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

/** One connection of a client. Each of its requests gets a connection to the server of its own, so that no end of an
  * idle one looks like a fault.
  */
private final class FaultProxyConnection(
    client: Socket,
    server: URI,
    writes: AtomicWrites,
    state: () => FaultProxyState
) extends AutoCloseable {
  private val fromClient = new BufferedInputStream(client.getInputStream)
  private val toClient   = new BufferedOutputStream(client.getOutputStream)

  /** Request after request, until one side ends it. */
  def serve(): Unit = while (HttpHead.read(fromClient).exists(serve)) ()

  /** With a reset if the client still waits for something. */
  override def close(): Unit = {
    if (!client.isClosed) client.setSoLinger(true, 0)
    client.close()
  }

  /** Whether another request may follow. */
  private def serve(head: HttpHead): Boolean = {
    val request = S3Request.of(head)
    val now     = state()
    now.faultOf(request) match {
      case None                        => writes.inTurn(request)(forward(head, request, now, toClient))
      case Some(fault: Fault.Answered) => answer(head, fault)
      case Some(Fault.ResetBefore)     => false
      case Some(Fault.AnswerLost)      =>
        writes.inTurn(request)(forward(head, request, now, OutputStream.nullOutputStream()))
        false
      case Some(Fault.NoAnswer) =>
        fromClient.transferTo(OutputStream.nullOutputStream())
        false
    }
  }

  private def forward(head: HttpHead, request: S3Request, now: FaultProxyState, out: OutputStream): Boolean =
    Using.resource(new Socket(server.getHost, server.getPort)) { upstream =>
      val fromServer = new BufferedInputStream(upstream.getInputStream)
      val toServer   = new BufferedOutputStream(upstream.getOutputStream)
      toServer.write(SparingAborts.of(head, request).bytes)
      toServer.flush()
      val refusal =
        if (expectsContinue(head)) Some(HttpAnswer.read(fromServer)).filterNot(_.isInterim) else None
      if (refusal.isEmpty) {
        if (expectsContinue(head)) continue()
        head.body.copy(fromClient, toServer)
        toServer.flush()
      }
      val answer = refusal.getOrElse(HttpAnswer.readFinal(fromServer))
      now.answered(request, answer.status)
      answer.copy(request.method, fromServer, out)
      // Without its body, what follows on this connection would be taken for the next request.
      refusal.isEmpty && answer.keepsConnection(request.method)
    }

  private def answer(head: HttpHead, fault: Fault.Answered): Boolean = {
    // Else the client would see a reset while it still sends.
    if (!expectsContinue(head)) head.body.copy(fromClient, OutputStream.nullOutputStream())
    val body = s"<Error><Code>${fault.code}</Code><Message>injected</Message></Error>".getBytes(UTF_8)
    toClient.write(
      s"""HTTP/1.1 ${fault.status} ${fault.reason}
         |Content-Type: application/xml
         |Content-Length: ${body.length}
         |Connection: close
         |
         |""".stripMargin.replace("\n", "\r\n").getBytes(UTF_8)
    )
    if (!head.firstLine.startsWith("HEAD ")) toClient.write(body)
    toClient.flush()
    client.shutdownOutput()
    client.close()
    false
  }

  private def continue(): Unit = {
    toClient.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(UTF_8))
    toClient.flush()
  }

  private def expectsContinue(head: HttpHead): Boolean = head.says("Expect", "100-continue")
}
