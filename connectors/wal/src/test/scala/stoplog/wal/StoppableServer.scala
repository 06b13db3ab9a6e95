// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import scala.collection.mutable

import com.sun.net.httpserver.{HttpExchange, HttpServer}

/** A web server that keeps its clients waiting until it recovers.
  *
  * @param delay responds to a request before the recovery
  */
final class StoppableServer(delay: HttpExchange => Unit) extends AutoCloseable {
  private val received         = mutable.Buffer.empty[(String, String)]
  private val requested        = new CountDownLatch(1)
  @volatile private var isBusy = true

  private val threads = Executors.newCachedThreadPool()
  private val server  = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
  server.setExecutor(threads)
  server.createContext("/rows", answer(_))
  server.start()

  def url: String = s"http://127.0.0.1:${server.getAddress.getPort}/rows"

  def awaitRequest(): Unit = assert(requested.await(120, TimeUnit.SECONDS), "no request")

  def recover(): Unit = isBusy = false

  /** The keys of all requests. */
  def keys: Seq[String] = synchronized(received.map(_._1).toVector)

  /** The bodies of all requests. */
  def bodies: Seq[String] = synchronized(received.map(_._2).toVector)

  override def close(): Unit = {
    server.stop(0)
    threads.shutdownNow()
    ()
  }

  private def answer(exchange: HttpExchange): Unit = {
    val body = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
    synchronized(received += exchange.getRequestHeaders.getFirst("Idempotency-Key") -> body)
    if (isBusy) {
      delay(exchange)
      requested.countDown()
    } else {
      exchange.sendResponseHeaders(204, -1)
      exchange.close()
    }
  }
}

object StoppableServer {

  /** Requests a pause of five minutes. */
  def busy(): StoppableServer = new StoppableServer(exchange => {
    exchange.getResponseHeaders.set("Retry-After", "300")
    exchange.sendResponseHeaders(503, -1)
    exchange.close()
  })

  /** Sends the headers of a response, and no body. */
  def silent(): StoppableServer = new StoppableServer(exchange => {
    exchange.sendResponseHeaders(200, 10)
    exchange.getResponseBody.flush()
  })
}
