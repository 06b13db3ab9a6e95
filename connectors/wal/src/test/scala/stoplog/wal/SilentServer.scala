// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{Semaphore, TimeUnit}

import scala.util.Try

/** A web server whose responses never end: it sends the headers, and then what `body` writes.
  *
  * @param body writes to the connection until this fails, or does nothing
  */
final class SilentServer(body: Socket => Unit) extends AutoCloseable {
  private val server   = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
  private val requests = new Semaphore(0)
  private val closed   = new Semaphore(0)

  private val accepting = new Thread(() => Try(while (true) start(server.accept())): Unit)
  accepting.setDaemon(true)
  accepting.start()

  def url: String = s"http://127.0.0.1:${server.getLocalPort}/rows"

  def hasRequest: Boolean = requests.availablePermits > 0

  /** Returns when the client has closed this number of connections. */
  def awaitClosed(connections: Int): Unit =
    assert(closed.tryAcquire(connections, 60, TimeUnit.SECONDS), "the connections stay open")

  override def close(): Unit = server.close()

  private def start(socket: Socket): Unit = {
    val thread = new Thread(() => serve(socket))
    thread.setDaemon(true)
    thread.start()
  }

  private def serve(socket: Socket): Unit = {
    Try {
      val in = socket.getInputStream
      in.read(new Array[Byte](1 << 16))
      socket.getOutputStream.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n".getBytes(UTF_8))
      requests.release()
      body(socket)
      while (in.read() >= 0) ()
    }
    closed.release()
    socket.close()
  }
}

object SilentServer {

  /** No body, a body that drips, and a body without an end. */
  val bodies: Seq[Socket => Unit] = Seq(
    _ => (),
    socket =>
      while (true) {
        socket.getOutputStream.write('.')
        socket.getOutputStream.flush()
        // Waits for the client, which sends nothing: the time between two bytes.
        socket.setSoTimeout(20)
        Try(socket.getInputStream.read()).foreach(read => if (read < 0) throw new java.io.EOFException)
      },
    socket => while (true) socket.getOutputStream.write(new Array[Byte](1 << 16))
  )
}
