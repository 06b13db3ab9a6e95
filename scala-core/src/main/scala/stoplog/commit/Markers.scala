// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.StringWriter
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant

import scala.util.{Try, Using}

import com.fasterxml.jackson.core.{JsonFactory, JsonGenerator}
import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.log.{Marker, MarkerForm, Totals}
import stoplog.part.RunId
import stoplog.storage.{FileStore, MarkerNames}

/** The markers of complete buckets: `_SUCCESS`, then `_SUCCESS.2`, `_SUCCESS.3` and so on. Their content is
  * described in `docs/files/complete-buckets.md`. A marker contains the identity of its record, so that every
  * process can recognize the marker.
  */
private[commit] object Markers {

  /** The record that decided a marker. A run id is never reused, so no restarted log has a record of this
    * identity.
    *
    * @param log the log's directory under `_stoplog`
    * @param seq the record's number in the log
    */
  final case class Identity(log: String, seq: Long, run: RunId)

  /** The content of a marker's file on which other markers depend.
    *
    * @param identity `None` for a marker of another program
    */
  final case class Content(identity: Option[Identity], sinkId: String, total: Totals)

  /** Returns the version of a bucket's newest marker; 0 without a marker. Called each time a bucket enters
    * the state: most buckets are new, and one read suffices.
    */
  def newestVersion(notes: FileStore, bucket: String): Int =
    if (notes.read(MarkerNames.path(bucket, 1)).isEmpty) 0
    else
      notes
        .list(bucket, MarkerNames.First)
        .flatMap(note => MarkerNames.version(note.name))
        .maxOption
        .getOrElse(1)

  /** Returns the version of the marker with this path, if the marker belongs to this bucket. */
  def versionOf(path: String, bucket: String): Option[Int] = {
    val prefix = FileStore.path(bucket, "")
    Option.when(path.startsWith(prefix))(path.drop(prefix.length)).flatMap(MarkerNames.version(_))
  }

  /** @param version the version in the name of the marker
    * @param total   the totals that this sink has written to the bucket
    */
  def bytes(marker: Marker, version: Int, identity: Identity, total: Totals): Array[Byte] =
    marker.form match {
      case MarkerForm.Empty => Array.emptyByteArray
      case MarkerForm.Json  =>
        text { json =>
          json.writeNumberField("version", version)
          json.writeStringField("bucket", marker.bucket)
          json.writeStringField("sinkId", marker.sinkId)
          writeTotals(total, json)
          json.writeObjectFieldStart("added")
          writeTotals(marker.added, json)
          json.writeEndObject()
          json.writeStringField("by", marker.cause)
          marker.endMillis.foreach(end => json.writeStringField("bucketEnd", time(end)))
          json.writeStringField("completedAt", time(marker.atMillis))
          json.writeStringField("log", identity.log)
          json.writeNumberField("seq", identity.seq)
          json.writeStringField("run", identity.run.value)
        }
    }

  /** Parses a marker; `None` for an empty marker, and for a file that is no stoplog marker. */
  def content(bytes: Array[Byte]): Option[Content] =
    Try(mapper.readTree(bytes)).toOption.filter(_.has("sinkId")).map { json =>
      val identity = Option.when(json.has("log") && json.has("seq") && json.has("run"))(
        Identity(json.get("log").asText, json.get("seq").asLong, RunId(json.get("run").asText))
      )
      val total = Totals(json.path("files").asLong, json.path("rows").asLong, json.path("bytes").asLong)
      Content(identity, json.get("sinkId").asText, total)
    }

  def time(millis: Long): String = Instant.ofEpochMilli(millis).toString

  /** Returns one JSON object, and a line feed for people who read the file. */
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
