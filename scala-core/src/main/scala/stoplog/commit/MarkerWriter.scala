// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.time.{Instant, LocalDate, ZoneOffset}
import java.time.format.DateTimeFormatter.ISO_LOCAL_DATE_TIME

import scala.annotation.tailrec

import com.fasterxml.jackson.core.JsonGenerator

import stoplog.fault.{Faults, Step}
import stoplog.log.{LogRecord, Manifest, Marker, MarkerForm, RecordKind, TimeColumn, TimeKind}
import stoplog.part.Pending
import stoplog.storage.{MarkerNames, PutOutcome}

/** Carries out what a record has decided for the time after its parts are visible. Any process may do it, any number
  * of times: a file that exists already is left as it is (I6).
  */
private[commit] final class MarkerWriter(
    followUps: FollowUps,
    parallel: Parallel,
    retry: StorageRetry,
    faults: Faults
) {
  import MarkerWriter.ManifestJson
  import followUps.{listener, notes}

  /** Writes the list of files first, since a reader that sees a marker may look for them.
    *
    * Errors: `STOPLOG_STORE_WRITE`, and those of the listener.
    */
  def announce(record: LogRecord): Unit = {
    record.follow.manifest.foreach { manifest =>
      write(manifest, record)
      faults.at(Step.ManifestWritten)
    }
    val marked = parallel.map(record.follow.markers) { marker =>
      val found = mark(marker, marker.version)
      faults.at(Step.MarkerWritten)
      found
    }
    marked.foreach { bucket =>
      listener(bucket)
      faults.at(Step.ListenerCalled)
    }
  }

  private def write(manifest: Manifest, record: LogRecord): Unit = {
    val bytes = ManifestJson.bytes(manifest, record)
    retry(() => notes.putIfAbsent(manifest.path, bytes))
    ()
  }

  /** A name that another sink was faster to take is passed over, so that no marker is lost; one with this very content
    * is this marker, written by the process that carried out the record before.
    */
  @tailrec
  private def mark(marker: Marker, version: Int): MarkedBucket = {
    val path  = MarkerNames.path(marker.bucket, version)
    val bytes = Markers.bytes(marker, version)
    if (isThere(path, bytes, marker.form)) MarkedBucket(marker.bucket, version, path, marker.total)
    else mark(marker, version + 1)
  }

  /** Empty markers are all alike. */
  private def isThere(path: String, bytes: Array[Byte], form: MarkerForm): Boolean = retry { () =>
    notes.putIfAbsent(path, bytes) match {
      case PutOutcome.Created => true
      case PutOutcome.Taken   => form == MarkerForm.Empty || notes.read(path).forall(_.sameElements(bytes))
    }
  }
}

private[commit] object MarkerWriter {

  /** The list of the files that a record makes visible: what `docs/files/complete-buckets.md` describes. */
  object ManifestJson {

    def bytes(manifest: Manifest, record: LogRecord): Array[Byte] = Markers.text { json =>
      json.writeNumberField("format", 1)
      json.writeNumberField("seq", record.seq)
      json.writeStringField("kind", record.kind.word)
      record.kind match {
        case RecordKind.Epoch(epoch) => json.writeNumberField("epoch", epoch)
        case _                       =>
      }
      json.writeStringField("run", record.run.value)
      json.writeStringField("decidedAt", Markers.time(record.writtenAtMillis))
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
}
