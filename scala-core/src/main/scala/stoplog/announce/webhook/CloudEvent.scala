// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.webhook

import java.io.StringWriter
import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.time.Instant
import java.util.{Base64, Locale}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.util.{Try, Using}

import com.fasterxml.jackson.core.JsonFactory

import stoplog.announce.{Announcement, AnnouncementJson}

/** The body of a request: CloudEvents 1.0 in structured mode, with the extensions for partitions and
  * sequences.
  */
private[webhook] object CloudEvent {

  final val ContentType = "application/cloudevents+json; charset=utf-8"

  def bytes(announcement: Announcement): Array[Byte] = {
    import announcement._
    val text = new StringWriter()
    Using.resource(factory.createGenerator(text)) { json =>
      json.writeStartObject()
      json.writeStringField("specversion", "1.0")
      json.writeStringField("id", id.toString)
      json.writeStringField("source", uri(path))
      json.writeStringField("type", s"$TypePrefix${change.word.replace(' ', '_')}")
      change.bucket.filter(_.nonEmpty).foreach(json.writeStringField("subject", _))
      json.writeStringField("time", Instant.ofEpochMilli(decidedAtMillis).toString)
      json.writeStringField("datacontenttype", "application/json")
      // Attributes must not be empty.
      json.writeStringField("partitionkey", change.bucket.filter(_.nonEmpty).getOrElse("."))
      json.writeStringField("sequence", "%020d-%010d".formatLocal(Locale.ROOT, id.sequence, id.number))
      json.writeFieldName("data")
      json.writeRawValue(AnnouncementJson.text(announcement))
      json.writeEndObject()
    }
    text.toString.getBytes(UTF_8)
  }

  /** Percent-encodes the characters that a URI reference cannot contain in its path. */
  private def uri(path: String): String = path
    .getBytes(UTF_8)
    .map { byte =>
      val char = (byte & 0xff).toChar
      if (char.isLetterOrDigit && char < 128 || Unescaped.contains(char)) char.toString
      else f"%%${byte & 0xff}%02X"
    }
    .mkString

  private final val TypePrefix = "io.github.stoplog."
  private final val Unescaped  = "-._~:/@!$&'()*+,;="
  private val factory          = new JsonFactory()
}

/** The signature of a request, as defined by Standard Webhooks: HMAC-SHA256 of id, time and body. */
private[webhook] object Signature {

  /** Returns the value of the header `webhook-signature`. */
  def of(secret: String, id: String, seconds: Long, body: Array[Byte]): String = {
    val mac = Mac.getInstance(Algorithm)
    mac.init(new SecretKeySpec(key(secret), Algorithm))
    mac.update(s"$id.$seconds.".getBytes(US_ASCII))
    s"v1,${Base64.getEncoder.encodeToString(mac.doFinal(body))}"
  }

  private def key(secret: String): Array[Byte] =
    if (secret.startsWith(Prefix))
      Try(Base64.getDecoder.decode(secret.drop(Prefix.length))).toOption.filter(_.nonEmpty).getOrElse {
        throw new IllegalStateException(s"the secret begins with $Prefix, and the rest is not Base64")
      }
    else secret.getBytes(UTF_8)

  private final val Algorithm = "HmacSHA256"
  private final val Prefix    = "whsec_"
}
