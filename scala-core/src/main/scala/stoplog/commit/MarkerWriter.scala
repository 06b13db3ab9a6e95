// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.time.{Instant, LocalDate, ZoneOffset}
import java.time.format.DateTimeFormatter.ISO_LOCAL_DATE_TIME

import scala.annotation.tailrec

import com.fasterxml.jackson.core.JsonGenerator

import stoplog.fault.{Faults, Step}
import stoplog.log.{LogRecord, Manifest, Marker, MarkerForm, RecordKind, TimeColumn, TimeKind, Totals}
import stoplog.part.Pending
import stoplog.storage.{MarkerNames, PutOutcome}

/** Carries out what a record has decided for the time after its parts are visible. Any process may do it, any number
  * of times: a file that exists already is left as it is (I6).
  *
  * @param log the name of the record's log
  */
private[commit] final class MarkerWriter(
    log: String,
    followUps: FollowUps,
    parallel: Parallel,
    retry: StorageRetry,
    faults: Faults
) {
  import MarkerWriter.{ManifestJson, Named}
  import followUps.{listener, notes}

  /** Writes the list of files first, since a reader that sees a marker may look for them.
    *
    * @param noted what processes have noted of this record: paths of its empty markers among others
    * @param note  adds paths to that, before anything else is done
    *
    * Errors: `STOPLOG_STORE_WRITE`, and those of the listener.
    */
  def announce(record: LogRecord, noted: Set[String])(note: Set[String] => Unit): Unit = {
    record.follow.manifest.foreach { manifest =>
      write(manifest, record)
      faults.at(Step.ManifestWritten)
    }
    val identity = Markers.Identity(log, record.seq, record.run)
    val marked   = parallel.map(record.follow.markers) { marker =>
      val found = mark(marker, identity, noted)
      faults.at(Step.MarkerWritten)
      found
    }
    note(marked.collect { case Named(bucket, isToBeNoted) if isToBeNoted => bucket.marker }.toSet)
    marked.foreach { case Named(bucket, _) =>
      listener(bucket)
      faults.at(Step.ListenerCalled)
    }
  }

  private def write(manifest: Manifest, record: LogRecord): Unit = {
    val bytes = ManifestJson.bytes(manifest, record)
    retry(() => notes.putIfAbsent(manifest.path, bytes))
    ()
  }

  /** A name that another writer was faster to take is passed over, so that no marker is lost. */
  private def mark(marker: Marker, identity: Markers.Identity, noted: Set[String]): Named =
    marker.form match {
      case MarkerForm.Json  => Named(counting(marker, identity), isToBeNoted = false)
      case MarkerForm.Empty =>
        noted.flatMap(path => Markers.versionOf(path, marker.bucket)).minOption match {
          case Some(version) => Named(marked(marker, version, marker.added), isToBeNoted = false)
          case None          => Named(unread(marker, marker.version), isToBeNoted = true)
        }
    }

  /** The total is that of this sink's marker before, and what came since. Which marker comes before is known only when the name
    * is created: each name is created once, and this method reads each marker whose name it passes over.
    */
  private def counting(marker: Marker, identity: Markers.Identity): MarkedBucket = {
    @tailrec
    def from(version: Int, before: Totals): MarkedBucket = {
      val total = before + marker.added
      if (isCreated(marker, version, Markers.bytes(marker, version, identity, total)))
        marked(marker, version, total)
      else
        read(marker, version).flatten match {
          case Some(own) if own.identity.contains(identity)     => marked(marker, version, own.total)
          case Some(earlier) if earlier.sinkId == marker.sinkId => from(version + 1, earlier.total)
          case _                                                => from(version + 1, before)
        }
    }

    read(marker, marker.version - 1) match {
      case Some(content) => from(marker.version, totalOf(content, marker, marker.version - 1))
      case None          =>
        // the bucket has no marker yet, or those that it had are gone, with the files that they count
        val newest =
          if (marker.version == 1) 0 else retry(() => Markers.newestVersion(notes, marker.bucket))
        val version = marker.version.min(newest + 1)
        from(version, totalOf(read(marker, version - 1).flatten, marker, version - 1))
    }
  }

  /** What the newest marker of this sink counts, from this version down.
    *
    * @param content of the marker of this version
    */
  @tailrec
  private def totalOf(content: Option[Markers.Content], marker: Marker, version: Int): Totals =
    content match {
      case Some(own) if own.sinkId == marker.sinkId => own.total
      case _ if version <= 1                        => Totals.nothing
      case _ => totalOf(read(marker, version - 1).flatten, marker, version - 1)
    }

  /** The content of a marker that is there. */
  private def read(marker: Marker, version: Int): Option[Option[Markers.Content]] =
    if (version == 0) None
    else retry(() => notes.read(MarkerNames.path(marker.bucket, version))).map(Markers.content(_))

  /** Empty markers are all alike: one that is there may be another writer's. Of those that processes have created for this
    * record, the record's notes tell. One that a process created before it died, and did not note, is written once more.
    */
  @tailrec
  private def unread(marker: Marker, version: Int): MarkedBucket =
    if (isCreated(marker, version, Array.emptyByteArray)) marked(marker, version, marker.added)
    else unread(marker, version + 1)

  private def isCreated(marker: Marker, version: Int, bytes: Array[Byte]): Boolean =
    retry(() => notes.putIfAbsent(MarkerNames.path(marker.bucket, version), bytes)) == PutOutcome.Created

  private def marked(marker: Marker, version: Int, total: Totals): MarkedBucket =
    MarkedBucket(marker.bucket, version, MarkerNames.path(marker.bucket, version), total)
}

private[commit] object MarkerWriter {

  /** A marker that is there.
    *
    * @param isToBeNoted whether nothing but a note tells that it is this record's
    */
  private final case class Named(bucket: MarkedBucket, isToBeNoted: Boolean)

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
