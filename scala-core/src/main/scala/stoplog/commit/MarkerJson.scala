// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.StringWriter
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant

import scala.util.{Try, Using}

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}
import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.log.{Marker, MarkerForm, Totals}

/** The content of a marker: what `docs/files/complete-buckets.md` describes. Nothing is in it that depends on who writes it:
  * the same decision is the same bytes, by which it is known again.
  */
private[commit] object MarkerJson {

  /** @param version that of the name it gets, which is a later one if the first was taken */
  def bytes(marker: Marker, version: Int): Array[Byte] = marker.form match {
    case MarkerForm.Empty => Array.emptyByteArray
    case MarkerForm.Json  =>
      text { json =>
        json.writeNumberField("version", version)
        json.writeStringField("bucket", marker.bucket)
        json.writeStringField("sinkId", marker.sinkId)
        writeTotals(marker.total, json)
        json.writeObjectFieldStart("added")
        writeTotals(marker.added, json)
        json.writeEndObject()
        json.writeStringField("by", marker.cause)
        marker.endMillis.foreach(end => json.writeStringField("bucketEnd", time(end)))
        json.writeStringField("completedAt", time(marker.atMillis))
      }
  }

  /** The totals in a marker of this sink; `None` if it is empty or of another sink. */
  def total(bytes: Array[Byte], sinkId: String): Option[Totals] =
    Try(mapper.readTree(bytes)).toOption
      .filter(_.path("sinkId").asText() == sinkId)
      .map(json => Totals(json.path("files").asLong, json.path("rows").asLong, json.path("bytes").asLong))

  def time(millis: Long): String = Instant.ofEpochMilli(millis).toString

  /** One object, and a line feed for those who look at it. */
  def text(fields: JsonGenerator => Unit): Array[Byte] = {
    val text = new StringWriter()
    Using.resource(factory.createGenerator(text)) { json =>
      json.writeStartObject()
      fields(json)
      json.writeEndObject()
    }
    s"$text\n".getBytes(UTF_8)
  }

  private def writeTotals(totals: Totals, json: JsonGenerator): Unit = {
    json.writeNumberField("files", totals.files)
    json.writeNumberField("rows", totals.rows)
    json.writeNumberField("bytes", totals.bytes)
  }

  private val factory = new JsonFactory()
  private val mapper  = new ObjectMapper()
}
