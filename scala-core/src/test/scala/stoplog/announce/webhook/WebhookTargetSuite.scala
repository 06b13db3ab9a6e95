// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.webhook

import java.net.{InetAddress, ServerSocket}
import java.nio.file.Files
import java.util.{Base64, ServiceLoader}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce._
import stoplog.announce.webhook.WebhookReceiver._
import stoplog.laws.{AnnouncementTargetLaws, ReceiverUnderTest}

class WebhookTargetLaws extends AnnouncementTargetLaws {
  override protected def newReceiver(): ReceiverUnderTest = new WebhookReceiver
}

class WebhookTargetSuite extends AnyFunSuite {

  private def announcement(n: Int, change: Change = Change.PartitionComplete("dt=2026-01-31/k=ü", 1)) =
    Announcement(AnnouncementId(LogId("main", "7d6f"), 118, n), "s3a://b/a é", "main", change, 1769853600120L)

  private def outcomes(answers: Answer*)(check: (Delivery, WebhookReceiver) => Unit): Unit = for (
    answer <- answers
  )
    withReceiver { receiver =>
      receiver.script.add(answer)
      check(receiver.target("timeout" -> "300ms").deliver(Vector(announcement(0))), receiver)
    }

  private def withReceiver(body: WebhookReceiver => Unit): Unit = Using.resource(new WebhookReceiver)(body)

  test("a request is a CloudEvent with a signature that a receiver can verify") {
    withReceiver { receiver =>
      val target = receiver.target("authorization" -> "conf:spark.token")
      assert(target.deliver(Vector(announcement(2))) === Delivery.Delivered)
      val request = receiver.requests.head
      assert(
        request.body === """{"specversion":"1.0","id":"main/7d6f/118/2","source":"s3a://b/a%20%C3%A9",""" +
          """"type":"io.github.stoplog.partition_complete","subject":"dt=2026-01-31/k=ü",""" +
          """"time":"2026-01-31T10:00:00.120Z","datacontenttype":"application/json",""" +
          """"partitionkey":"dt=2026-01-31/k=ü","sequence":"00000000000000000118-0000000002",""" +
          s""""data":${AnnouncementJson.text(announcement(2))}}"""
      )
      assert(request.headers("content-type") === "application/cloudevents+json; charset=utf-8")
      assert(request.headers("authorization") === "Bearer t")
      assert(request.headers("webhook-id") === "7d6f-118-2")
      assert(request.headers("webhook-timestamp") === "1769853661")
      assert(request.headers("webhook-signature") === signature("hunter2".getBytes, request))
    }
  }

  test("announcements without a bucket have a partition key") {
    withReceiver { receiver =>
      receiver
        .target()
        .deliver(Vector(announcement(0, Change.Gap(1, 2)), announcement(1, Change.Added("", Vector()))))
      assert(receiver.requests.map(_.json.get("partitionkey").asText) === Seq(".", "."))
      assert(receiver.requests.forall(!_.json.has("subject")))
    }
  }

  test("a secret with the prefix whsec_ is decoded") {
    val bytes = Array.tabulate(24)(_.toByte)
    val body  = "{}".getBytes
    assert(
      Signature.of(s"whsec_${Base64.getEncoder.encodeToString(bytes)}", "i", 7, body) ===
        signature(bytes, Request("", "", Map("webhook-id" -> "i", "webhook-timestamp" -> "7"), "{}"))
    )
    assert(
      intercept[IllegalStateException](Signature.of("whsec_?", "i", 7, body)).getMessage
        .contains("not Base64")
    )
  }

  test("a successful response delivers") {
    outcomes(Status(200), Status(202), Status(204))((delivery, _) => assert(delivery === Delivery.Delivered))
  }

  test("an overloaded or failed receiver receives the announcement again") {
    outcomes(Status(408), Status(425), Status(429), Status(500), Status(503)) { (delivery, receiver) =>
      val Delivery.Retry(reason, after) = delivery: @unchecked
      assert(reason.matches(s"${receiver.url} responded with status \\d+") && after.isEmpty)
    }
  }

  test("Retry-After is a number of seconds or a date, at most an hour") {
    def waited(text: String): Option[Long] = {
      var found = Option.empty[Long]
      outcomes(Status(429, "Retry-After" -> text)) {
        case (Delivery.Retry(_, after), _) => found = after
        case (other, _)                    => fail(other.toString)
      }
      found
    }
    assert(waited("7") === Some(7000))
    assert(waited("99999999999999") === Some(3600000))
    assert(waited("-5") === Some(0))
    assert(waited("Sat, 31 Jan 2026 10:01:31 GMT") === Some(30000)) // the clock is at 10:01:01
    assert(waited("Sat, 31 Jan 2026 10:00:00 GMT") === Some(0))
    assert(waited("soon") === None)
  }

  test("a redirect is rejected and not followed") {
    withReceiver { other =>
      outcomes(Status(301, "Location" -> other.url), Status(307, "Location" -> other.url), Status(304)) {
        case (Delivery.Refused(reason, _), receiver) =>
          assert(reason.contains("a redirect, which is not followed") && receiver.requests.size === 1)
        case (unexpected, _) => fail(unexpected.toString)
      }
      assert(other.requests === Nil)
    }
  }

  test("a receiver that is not deployed, or has other credentials, is called again") {
    outcomes(Status(401), Status(403), Status(404)) { (delivery, _) =>
      assert(delivery.isInstanceOf[Delivery.Retry])
    }
  }

  test("other responses of the receiver refuse the announcement") {
    outcomes(Status(400), Status(410), Status(413), Status(422)) { (delivery, _) =>
      assert(delivery.isInstanceOf[Delivery.Refused])
    }
  }

  test("the outcome is unknown without a complete response") {
    outcomes(Silence, HalfBody) { (delivery, receiver) =>
      assert(delivery === Delivery.Unknown(s"${receiver.url} did not respond within 300 ms"))
    }
    outcomes(Hangup)((delivery, _) => assert(delivery.isInstanceOf[Delivery.Unknown]))
  }

  test("a receiver that cannot be reached is called again, and fails the check") {
    val port   = Using.resource(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))(_.getLocalPort)
    val target = newTarget("url" -> s"http://127.0.0.1:$port/?token=hunter2")
    val Delivery.Retry(reason, None) = target.deliver(Vector(announcement(0))): @unchecked
    assert(
      reason.startsWith(s"the request to http://127.0.0.1:$port/ failed: java.net.ConnectException"),
      reason
    )
    assert(intercept[IllegalStateException](target.check()).getMessage === reason)
  }

  test("a call continues after the last successful response") {
    withReceiver { receiver =>
      val target = receiver.target()
      val all    = (0 to 2).map(announcement(_)).toVector
      Seq(Status(200), Status(500)).foreach(receiver.script.add)
      assert(target.deliver(all).isInstanceOf[Delivery.Retry])
      assert(target.deliver(all) === Delivery.Delivered)
      assert(receiver.requests.map(_.announcement.id.number) === Seq(0, 1, 1, 2))
      val another = all.map(a => a.copy(id = a.id.copy(log = LogId("main", "another"))))
      assert(target.deliver(another) === Delivery.Delivered)
      assert(receiver.requests.size === 7)
    }
  }

  test("the address can be a secret") {
    withReceiver { receiver =>
      val secrets = receiver.target("url" -> "", "urlFrom" -> "env:URL")
      assert(secrets.deliver(Vector(announcement(0))) === Delivery.Delivered)
      receiver.script.add(Status(410))
      assert(
        secrets.deliver(Vector(announcement(1))) === Delivery.Refused(
          "the URL in env:URL responded with status 410"
        )
      )
    }
  }

  test("a missing secret is reported by the check, and delays deliveries") {
    val why    = "the environment variable STOPLOG_NO_SUCH_SECRET is missing or empty"
    val target = newTarget("url" -> "http://127.0.0.1:1", "secret" -> "env:STOPLOG_NO_SUCH_SECRET")
    assert(intercept[IllegalStateException](target.check()).getMessage === why)
    assert(target.deliver(Vector(announcement(0))) === Delivery.Retry(why))
  }

  test("a secret that no header can contain is reported without the secret") {
    val file   = Files.writeString(Files.createTempFile("token", ""), "Basic hunter2\nBasic hunter3")
    val target = newTarget("url" -> "http://127.0.0.1:1", "authorization" -> s"file:$file")
    val why    = s"the secret file:$file has a character that a header cannot contain, such as a line feed"
    assert(intercept[IllegalStateException](target.check()).getMessage === why)
    assert(target.deliver(Vector(announcement(0))) === Delivery.Retry(why))
  }

  test("all problems of the settings are reported together, without secrets") {
    def problems(settings: (String, String)*) =
      intercept[IllegalArgumentException](newTarget(settings: _*)).getMessage
    val message =
      problems("url" -> "https://u:hunter2@example.com/x", "SECRET" -> "hunter2", "timeout" -> "5")
    for (part <- Seq("has a user; set authorization", "does not name a secret", "timeout = '5' has no unit"))
      assert(message.contains(part), message)
    assert(!message.contains("hunter2"))
    assert(problems().contains("url is not set"))
    assert(problems("url" -> "ftp://x").contains("does not begin with http"))
    assert(problems("url" -> "http://x/#a").contains("has a fragment"))
    assert(problems("url" -> "example.com").contains("is not a URL with a host"))
    assert(problems("url" -> "http://x", "urlFrom" -> "env:A").contains("url and urlFrom are both set"))
  }

  private def newTarget(settings: (String, String)*): AnnouncementTarget =
    ServiceLoader
      .load(classOf[TargetFactory])
      .asScala
      .find(_.kind == "webhook")
      .get
      .create("hook", settings.toMap.asJava)

  /** As a receiver computes it, without the code of the target. */
  private def signature(secret: Array[Byte], request: Request): String = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(secret, "HmacSHA256"))
    val signed = s"${request.headers("webhook-id")}.${request.headers("webhook-timestamp")}.${request.body}"
    "v1," + Base64.getEncoder.encodeToString(mac.doFinal(signed.getBytes("UTF-8")))
  }
}
