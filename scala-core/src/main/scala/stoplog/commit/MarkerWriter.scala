// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.announce.AnnouncementJson
import stoplog.fault.{Faults, Step}
import stoplog.log.{LogRecord, Manifest, Marker, MarkerForm, RecordKind, Totals}
import stoplog.storage.{MarkerNames, PutOutcome}
import stoplog.thread.Parallel

/** Carries out the follow-ups of a record after its parts are visible. Any process may do this, any number of
  * times: existing files stay unchanged (I6).
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
  import MarkerWriter.ManifestJson
  import followUps.notes

  /** Writes the manifest before the markers, since a reader of a marker may look for the manifest.
    *
    * @param noted the paths in the record's notes, including the paths of its empty markers
    * @param note  adds paths to the record's notes
    *
    * Errors: `STOPLOG_STORE_WRITE`.
    */
  def announce(record: LogRecord, noted: Set[String])(note: Set[String] => Unit): Unit = {
    record.follow.manifest.foreach { manifest =>
      write(manifest, record)
      faults.at(Step.ManifestWritten)
    }
    val identity = Markers.Identity(log, record.seq, record.run)
    val marked   = parallel.map(record.follow.markers) { marker =>
      val toBeNoted = mark(marker, identity, noted)
      faults.at(Step.MarkerWritten)
      toBeNoted
    }
    note(marked.flatten.toSet)
  }

  private def write(manifest: Manifest, record: LogRecord): Unit = {
    val bytes = ManifestJson.bytes(manifest, record)
    retry(() => notes.putIfAbsent(manifest.path, bytes))
    ()
  }

  /** Creates the marker, with the next version if another writer has taken a name: no marker is lost.
    *
    * @return the path of the marker, if only a note shows that the marker belongs to this record
    */
  private def mark(marker: Marker, identity: Markers.Identity, noted: Set[String]): Option[String] =
    marker.form match {
      case MarkerForm.Json =>
        counting(marker, identity)
        None
      case MarkerForm.Empty =>
        val isNoted = noted.exists(Markers.versionOf(_, marker.bucket).isDefined)
        Option.unless(isNoted)(unread(marker, marker.version))
    }

  /** Adds `added` to the total of this sink's preceding marker. The preceding marker is known only when the
    * name is created. Each name is created once, and this method reads every marker whose name is taken.
    */
  private def counting(marker: Marker, identity: Markers.Identity): Unit = {
    @tailrec
    def from(version: Int, before: Totals): Unit = {
      val total = before + marker.added
      if (!isCreated(marker, version, Markers.bytes(marker, version, identity, total)))
        read(marker, version).flatten match {
          case Some(own) if own.identity.contains(identity)     => ()
          case Some(earlier) if earlier.sinkId == marker.sinkId => from(version + 1, earlier.total)
          case _                                                => from(version + 1, before)
        }
    }

    read(marker, marker.version - 1) match {
      case Some(content) =>
        totalOf(content, marker, marker.version - 1, identity).foreach(from(marker.version, _))
      case None =>
        // no marker yet, or the markers were deleted with the files that they count
        val newest =
          if (marker.version == 1) 0 else retry(() => Markers.newestVersion(notes, marker.bucket))
        val version = marker.version.min(newest + 1)
        totalOf(read(marker, version - 1).flatten, marker, version - 1, identity).foreach(from(version, _))
    }
  }

  /** Returns the total of this sink's newest marker, from this version downwards. Returns `None` if this
    * marker belongs to the record: the version restarted after a deletion, so it may be lower than decided
    * (P-108).
    *
    * @param content the content of the marker of this version
    */
  @tailrec
  private def totalOf(
      content: Option[Markers.Content],
      marker: Marker,
      version: Int,
      identity: Markers.Identity
  ): Option[Totals] = content match {
    case Some(own) if own.identity.contains(identity) => None
    case Some(own) if own.sinkId == marker.sinkId     => Some(own.total)
    case _ if version <= 1                            => Some(Totals.nothing)
    case _ => totalOf(read(marker, version - 1).flatten, marker, version - 1, identity)
  }

  /** Returns the content of a marker; the outer `None` if the marker does not exist. */
  private def read(marker: Marker, version: Int): Option[Option[Markers.Content]] =
    if (version == 0) None
    else retry(() => notes.read(MarkerNames.path(marker.bucket, version))).map(Markers.content(_))

  /** Creates an empty marker. All empty markers are equal, so an existing marker may belong to another
    * writer. The record's notes contain the markers that processes have created for the record. If a process
    * dies between the marker and its note, another marker is created.
    */
  @tailrec
  private def unread(marker: Marker, version: Int): String =
    if (isCreated(marker, version, Array.emptyByteArray)) MarkerNames.path(marker.bucket, version)
    else unread(marker, version + 1)

  private def isCreated(marker: Marker, version: Int, bytes: Array[Byte]): Boolean =
    retry(() => notes.putIfAbsent(MarkerNames.path(marker.bucket, version), bytes)) == PutOutcome.Created
}

private[commit] object MarkerWriter {

  /** The manifest of the files that a record makes visible (`docs/files/complete-buckets.md`). */
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
      record.publish.filter(_.sizeBytes > 0).foreach { part =>
        AnnouncementJson.writeFile(part.bucket, AnnouncedFiles.of(part, manifest.column), json)
      }
      json.writeEndArray()
      if (record.replace.nonEmpty) {
        json.writeArrayFieldStart("replaced")
        record.replace.foreach(part => json.writeString(part.path))
        json.writeEndArray()
      }
      json.writeArrayFieldStart("completed")
      record.follow.markers.foreach { marker =>
        AnnouncementJson.writeCompleted(marker.bucket, marker.version, json)
      }
      json.writeEndArray()
    }
  }
}
