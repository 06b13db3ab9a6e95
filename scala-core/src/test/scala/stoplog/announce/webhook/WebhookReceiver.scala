// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.webhook

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, Executors}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.sun.net.httpserver.{HttpExchange, HttpServer}

import stoplog.announce.setting.Secrets
import stoplog.announce.{Announcement, AnnouncementJson, AnnouncementTarget}
import stoplog.commit.ManualClock
import stoplog.laws.ReceiverUnderTest

/** A receiver of webhooks on this machine. Responds with status 204, or by [[script]]. */
private[webhook] final class WebhookReceiver extends ReceiverUnderTest {
  import WebhookReceiver._

  val clock  = new ManualClock(1769853661000L)
  val script = new ConcurrentLinkedQueue[Answer]()

  private val arrived = new ConcurrentLinkedQueue[Request]()
  private val ended   = new CountDownLatch(1)
  private val pool    = Executors.newCachedThreadPool()
  private val server  = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
  server.setExecutor(pool)
  server.createContext("/", exchange => answer(exchange))
  server.start()

  def url: String = s"http://127.0.0.1:${server.getAddress.getPort}/hooks"

  def requests: Seq[Request] = arrived.asScala.toSeq

  def target(settings: (String, String)*): AnnouncementTarget = new WebhookTarget(
    WebhookSettings.parse((Map("url" -> url, "secret" -> "env:SECRET") ++ settings).asJava),
    new Secrets(Map("SECRET" -> "hunter2", "URL" -> url).get(_), Map("spark.token" -> "Bearer t").get(_)),
    clock
  )

  override def target(): AnnouncementTarget = target(Seq.empty: _*)

  override def received(): Seq[Int] =
    requests.filter(_.method == "POST").map(_.announcement.change.bucket).collect { case Some(s"n=$n") =>
      n.toInt
    }

  /** Ends the requests without an answer, too. */
  override def close(): Unit = {
    ended.countDown()
    server.stop(0)
    pool.shutdownNow()
    ()
  }

  private def answer(exchange: HttpExchange): Unit = {
    val headers = exchange.getRequestHeaders.asScala.map { case (k, v) =>
      k.toLowerCase -> v.asScala.mkString
    }
    val body = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
    arrived.add(Request(exchange.getRequestMethod, exchange.getRequestURI.toString, headers.toMap, body))
    (if (exchange.getRequestMethod == "POST") Option(script.poll()) else None).getOrElse(Status(204)) match {
      case Status(code, more @ _*) =>
        more.foreach { case (name, value) => exchange.getResponseHeaders.add(name, value) }
        exchange.sendResponseHeaders(code, -1)
      case Silence  => ended.await()
      case Hangup   => ()
      case HalfBody =>
        exchange.sendResponseHeaders(200, 1000)
        exchange.getResponseBody.write(1)
        exchange.getResponseBody.flush()
        ended.await()
    }
    exchange.close()
  }
}

private[webhook] object WebhookReceiver {
  sealed trait Answer
  final case class Status(code: Int, headers: (String, String)*) extends Answer
  case object Silence                                            extends Answer
  case object Hangup                                             extends Answer
  case object HalfBody                                           extends Answer

  final case class Request(method: String, uri: String, headers: Map[String, String], body: String) {
    def json: JsonNode             = mapper.readTree(body)
    def announcement: Announcement = AnnouncementJson.parse(json.get("data").toString)
  }

  private val mapper = new ObjectMapper()
}
