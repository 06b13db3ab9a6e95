// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.StringWriter
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant

import scala.util.{Try, Using}

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}
import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.log.{Marker, MarkerForm, Totals}
import stoplog.storage.{FileStore, MarkerNames}

/** The markers of complete buckets: `_SUCCESS`, then `_SUCCESS.2`, `_SUCCESS.3` and so on. `docs/files/complete-buckets.md`
  * describes their content. It holds nothing that depends on who writes it: the same decision is the same bytes, by which
  * it is known again.
  */
private[commit] object Markers {

  /** @param version of the newest marker; 0 without one
    * @param marked  what the newest marker of this sink counts
    */
  final case class Past(version: Int, marked: Totals)

  object Past {
    val nothing: Past = Past(0, Totals.nothing)
  }

  /** The existing markers of a bucket. Read once for each time that a bucket comes into the state: most buckets are new,
    * and one look tells.
    */
  def history(notes: FileStore, sinkId: String, bucket: String): Past =
    if (notes.read(MarkerNames.path(bucket, 1)).isEmpty) Past.nothing
    else {
      val versions = notes
        .list(bucket, MarkerNames.First)
        .flatMap(note => MarkerNames.version(note.name))
        .sorted(Ordering.Int.reverse)
      val mine = versions.iterator
        .flatMap(version => notes.read(MarkerNames.path(bucket, version)))
        .flatMap(total(_, sinkId))
        .nextOption()
      Past(versions.headOption.getOrElse(1), mine.getOrElse(Totals.nothing))
    }

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

  /** One object of JSON, and a line feed for people who look at it. */
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
