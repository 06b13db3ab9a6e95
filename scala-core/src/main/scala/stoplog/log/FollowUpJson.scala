// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode

/** The follow-up to publishing, as fields of the record that most records do without. */
private[log] object FollowUpJson {
  import JsonFields._
  import LiveBucketJson.{readTotals, writeTotals}

  def write(follow: FollowUp, into: JsonGenerator): Unit = {
    follow.manifest.foreach { manifest =>
      into.writeObjectFieldStart("manifest")
      into.writeStringField("path", manifest.path)
      manifest.column.foreach { column =>
        into.writeStringField("column", column.name)
        into.writeStringField("kind", column.kind.word)
      }
      into.writeEndObject()
    }
    if (follow.markers.nonEmpty) {
      into.writeArrayFieldStart("markers")
      follow.markers.foreach(writeMarker(_, into))
      into.writeEndArray()
    }
  }

  def read(record: JsonNode): FollowUp = FollowUp(
    Option(record.get("manifest")).map { from =>
      Manifest(
        path(from, "path"),
        Option.when(from.has("column"))(
          TimeColumn(
            text(from, "column"),
            named(text(from, "kind"), TimeKind.all.map(kind => kind.word -> kind))
          )
        )
      )
    },
    if (record.has("markers")) objects(record, "markers").map(readMarker) else Vector.empty
  )

  private def writeMarker(marker: Marker, into: JsonGenerator): Unit = {
    into.writeStartObject()
    into.writeStringField("bucket", marker.bucket)
    into.writeNumberField("version", marker.version)
    into.writeStringField("form", marker.form.word)
    into.writeStringField("sinkId", marker.sinkId)
    into.writeStringField("cause", marker.cause)
    into.writeNumberField("atMillis", marker.atMillis)
    marker.endMillis.foreach(into.writeNumberField("endMillis", _))
    writeTotals("total", marker.total, into)
    writeTotals("added", marker.added, into)
    into.writeEndObject()
  }

  private def readMarker(from: JsonNode): Marker = Marker(
    path(from, "bucket"),
    long(from, "version").toInt,
    named(text(from, "form"), MarkerForm.all.map(form => form.word -> form)),
    text(from, "sinkId"),
    text(from, "cause"),
    long(from, "atMillis"),
    Option.when(from.has("endMillis"))(long(from, "endMillis")),
    readTotals(from, "total"),
    readTotals(from, "added")
  )

  private def named[A](word: String, all: Seq[(String, A)]): A = all
    .collectFirst { case (`word`, value) => value }
    .getOrElse(throw new IllegalArgumentException(s"unknown word '$word'"))
}
