// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.webhook

import java.io.IOException
import java.net.ConnectException
import java.net.http.{HttpClient, HttpConnectTimeoutException, HttpRequest, HttpResponse}
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.time.{Duration, Instant, ZonedDateTime}
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import java.util.{Map => JMap}
import java.util.concurrent.{ExecutionException, TimeUnit, TimeoutException}
import javax.net.ssl.SSLException

import scala.annotation.tailrec
import scala.jdk.OptionConverters._
import scala.util.Try

import stoplog.announce._
import stoplog.announce.setting.{SecretName, Secrets}
import stoplog.error.Redaction
import stoplog.thread.Clock

/** The factory of `announce.<name>` = `webhook`. */
private[stoplog] final class WebhookTargets extends TargetFactory {
  override def kind: String = "webhook"

  override def settings: Set[String] = WebhookSettings.all.map(_.key).toSet

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget =
    new WebhookTarget(WebhookSettings.parse(settings), Secrets.ofProcess, Clock.system)
}

/** Sends one request for each announcement, so that each response belongs to one announcement. After a
  * failure, the repeated call continues with the first announcement without a successful response.
  */
private[webhook] final class WebhookTarget(settings: WebhookSettings, secrets: Secrets, clock: Clock)
    extends AnnouncementTarget {
  import WebhookTarget._
  import settings.address

  // Only a used client has a thread.
  private lazy val client = HttpClient.newBuilder
    .version(HttpClient.Version.HTTP_1_1)
    // A redirect would send a signed request to another receiver.
    .followRedirects(HttpClient.Redirect.NEVER)
    .connectTimeout(Duration.ofMillis(settings.timeoutMillis))
    .build()
  private var last = Option.empty[AnnouncementId]

  @tailrec
  override def deliver(announcements: Vector[Announcement]): Delivery =
    announcements.dropWhile(isDelivered).headOption match {
      case None       => Delivery.Delivered
      case Some(next) =>
        post(next) match {
          case Delivery.Delivered =>
            last = Some(next.id)
            deliver(announcements)
          case other => other
        }
    }

  /** Sends a request without a body. Each response shows that the receiver can be reached. */
  override def check(): Unit =
    try {
      settings.secret.foreach(secret => Signature.of(secret.read(secrets), "", 0, Array.emptyByteArray))
      send(request().method("OPTIONS", BodyPublishers.noBody()).build())
      ()
    } catch {
      case e: InterruptedException => throw e
      case e: Exception            => throw new IllegalStateException(reason(e), e)
    }

  private def isDelivered(announcement: Announcement): Boolean =
    last.exists(id => id.log == announcement.id.log && !announcement.id.isAfter(id))

  private def post(announcement: Announcement): Delivery =
    try outcome(send(signed(announcement)))
    catch {
      case e @ (_: ConnectException | _: HttpConnectTimeoutException | _: SSLException) =>
        Delivery.Retry(reason(e))
      case e: IllegalStateException                   => Delivery.Retry(reason(e))
      case e @ (_: IOException | _: TimeoutException) => Delivery.Unknown(reason(e))
    }

  private def signed(announcement: Announcement): HttpRequest = {
    val body    = CloudEvent.bytes(announcement)
    val seconds = clock.millis() / 1000
    // Without a full stop, which separates the parts of the signed text.
    val id      = s"${announcement.id.log.identity}-${announcement.id.sequence}-${announcement.id.number}"
    val request = this
      .request()
      .header("content-type", CloudEvent.ContentType)
      .header("webhook-id", id)
      .header("webhook-timestamp", seconds.toString)
    settings.secret.foreach { secret =>
      request.header("webhook-signature", Signature.of(secret.read(secrets), id, seconds, body))
    }
    request.POST(BodyPublishers.ofByteArray(body)).build()
  }

  private def request(): HttpRequest.Builder = {
    val request = HttpRequest.newBuilder(address.read(secrets)).header("user-agent", "stoplog")
    settings.authorization.foreach(name => request.header("authorization", headerOf(name)))
    request
  }

  /** Java's client repeats a rejected value in its message. */
  private def headerOf(name: SecretName): String = {
    val value = name.read(secrets)
    if (value.exists(char => char < ' ' && char != '\t' || char == 127 || char > 255))
      throw new IllegalStateException(
        s"the secret $name has a character that a header cannot contain, such as a line feed"
      )
    value
  }

  /** The client's own time limit ends with the headers of the response. */
  private def send(request: HttpRequest): HttpResponse[Void] = {
    val response = client.sendAsync(request, BodyHandlers.discarding())
    try response.get(settings.timeoutMillis, TimeUnit.MILLISECONDS)
    catch { case e: ExecutionException => throw e.getCause }
    finally { response.cancel(true); () }
  }

  private def outcome(response: HttpResponse[Void]): Delivery = {
    val status = response.statusCode
    val reason = s"${address.shown} responded with status $status"
    if (status / 100 == 2) Delivery.Delivered
    else if (status / 100 == 5 || Temporary(status)) Delivery.Retry(reason, waitMillis(response))
    else if (status / 100 == 3)
      Delivery.Refused(s"$reason, a redirect, which is not followed: set the address of the receiver itself")
    else Delivery.Refused(reason)
  }

  private def waitMillis(response: HttpResponse[Void]): Option[Long] =
    response.headers
      .firstValue("retry-after")
      .toScala
      .map(_.trim)
      .flatMap { text =>
        text.toLongOption.map(_.min(LongestWaitMillis) * 1000).orElse(untilMillis(text))
      }
      .map(_.max(0).min(LongestWaitMillis))

  private def untilMillis(date: String): Option[Long] =
    Try(Instant.from(ZonedDateTime.parse(date, RFC_1123_DATE_TIME)).toEpochMilli - clock.millis()).toOption

  private def reason(e: Throwable): String = e match {
    case _: TimeoutException      => s"${address.shown} did not respond within ${settings.timeoutMillis} ms"
    case e: IllegalStateException => e.getMessage
    case _                        => s"the request to ${address.shown} failed: ${Redaction.text(e.toString)}"
  }
}

private object WebhookTarget {

  // Unauthorized, forbidden and not found, until the receiver is deployed or its credentials are correct;
  // request time-out, too early, too many requests.
  private val Temporary = Set(401, 403, 404, 408, 425, 429)

  // A receiver cannot stop deliveries for longer.
  private final val LongestWaitMillis = 3600000L
}
