// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.time.format.DateTimeFormatter.ISO_LOCAL_DATE_TIME
import java.time.{Instant, LocalDate, ZoneOffset}

import com.fasterxml.jackson.core.JsonGenerator

import stoplog.log.{LogRecord, Manifest, RecordKind, TimeColumn, TimeKind}
import stoplog.part.Pending

/** The list of the files that a record makes visible: what `docs/files/complete-buckets.md` describes. */
private[commit] object ManifestJson {

  def bytes(manifest: Manifest, record: LogRecord): Array[Byte] = MarkerJson.text { json =>
    json.writeNumberField("format", 1)
    json.writeNumberField("seq", record.seq)
    json.writeStringField("kind", record.kind.word)
    record.kind match {
      case RecordKind.Epoch(epoch) => json.writeNumberField("epoch", epoch)
      case _                       =>
    }
    json.writeStringField("run", record.run.value)
    json.writeStringField("decidedAt", MarkerJson.time(record.writtenAtMillis))
    manifest.column.foreach(column => json.writeStringField("timeColumn", column.name))
    json.writeArrayFieldStart("files")
    record.publish.filter(_.sizeBytes > 0).foreach(writeFile(_, manifest.column, json))
    json.writeEndArray()
    if (record.replace.nonEmpty) {
      json.writeArrayFieldStart("replaced")
      record.replace.foreach(part => json.writeString(part.path))
      json.writeEndArray()
    }
    json.writeArrayFieldStart("completed")
    record.follow.markers.foreach { marker =>
      json.writeStartObject()
      json.writeStringField("bucket", marker.bucket)
      json.writeNumberField("version", marker.version)
      json.writeEndObject()
    }
    json.writeEndArray()
  }

  private def writeFile(part: Pending, column: Option[TimeColumn], json: JsonGenerator): Unit = {
    json.writeStartObject()
    json.writeStringField("path", part.finishedPath)
    json.writeStringField("bucket", part.bucket)
    json.writeNumberField("rows", part.records)
    json.writeNumberField("bytes", part.sizeBytes)
    for {
      known <- column
      times <- part.times
    } {
      json.writeStringField("min", time(times.minMicros, known.kind))
      json.writeStringField("max", time(times.maxMicros, known.kind))
    }
    json.writeEndObject()
  }

  private def time(micros: Long, kind: TimeKind): String = {
    val moment = Instant.ofEpochSecond(
      Math.floorDiv(micros, 1000000L),
      Math.floorMod(micros, 1000000L) * 1000L
    )
    kind match {
      case TimeKind.Instant => moment.toString
      case TimeKind.Local   => ISO_LOCAL_DATE_TIME.format(moment.atOffset(ZoneOffset.UTC))
      case TimeKind.Day     => LocalDate.ofInstant(moment, ZoneOffset.UTC).toString
    }
  }
}
