// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.announce.{AnnouncedFile, Announcement, AnnouncementId, Change, LogId}
import stoplog.log.{Decision, RecordKind, RecordOutcome}
import stoplog.storage.{FileStore, HiddenNames, VisibleFile}

/** The announcements of a record, derived only from the record and its outcome. So each process derives the
  * same announcements with the same ids.
  *
  * Files that readers do not see are not announced: rejected rows, markers, and valid-length files.
  */
private[stoplog] object Announcements {

  /** The origin of announcements: one log of one sink. */
  final case class Origin(path: String, sinkId: String, log: LogId) {

    /** Returns an announcement of this log. */
    private[commit] def announcement(
        sequence: Long,
        number: Int,
        change: Change,
        atMillis: Long,
        epoch: Option[Long] = None
    ): Announcement =
      Announcement(AnnouncementId(log, sequence, number), path, sinkId, change, atMillis, epoch)

    /** Returns whether the epochs of the log's records are epochs of a query. */
    private def isOfQuery: Boolean =
      log.name != Replacements.SinkId && !log.name.startsWith(JobCommit.Prefix)

    private[Announcements] def epochOf(kind: RecordKind): Option[Long] = kind match {
      case RecordKind.Epoch(epoch) if isOfQuery => Some(epoch)
      case _                                    => None
    }
  }

  /** Returns the announcements of a record that was carried out: its buckets in sorted order, and then its
    * complete buckets.
    */
  def of(decision: Decision, outcome: RecordOutcome, origin: Origin): Vector[Announcement] = {
    val changes = outcome match {
      case RecordOutcome.CalledOff      => Vector.empty
      case RecordOutcome.Done           => changesOf(decision, lost = Set.empty)
      case RecordOutcome.Skipped(paths) => changesOf(decision, paths)
    }
    numbered(changes) { (number, change) =>
      origin.announcement(
        decision.seq,
        number,
        change,
        decision.writtenAtMillis,
        origin.epochOf(decision.kind)
      )
    }
  }

  /** Returns the announcements of all visible files.
    *
    * @param sequence the newest record before the listing
    */
  def snapshot(
      files: Vector[VisibleFile],
      sequence: Long,
      atMillis: Long,
      origin: Origin
  ): Vector[Announcement] = {
    val buckets = files.groupBy(file => FileStore.directoryOf(file.path)).toVector.sortBy(_._1)
    numbered(buckets.map { case (bucket, found) => Change.Snapshot(bucket, found.map(announced)) })(
      origin.announcement(sequence, _, _, atMillis)
    )
  }

  private def numbered[A <: Change](changes: Vector[A])(
      announcement: (Int, A) => Announcement
  ): Vector[Announcement] = changes.zipWithIndex.map { case (change, number) => announcement(number, change) }

  private def changesOf(decision: Decision, lost: Set[String]): Vector[Change] = {
    val column = decision.follow.manifest.flatMap(_.column)
    val shown  = decision.publish
      .filter(part => part.sizeBytes > 0 && !lost(part.finishedPath) && isSeen(part.finishedPath))
      .groupMap(_.bucket)(AnnouncedFiles.of(_, column))
    val gone = decision.replace.filter(part => isSeen(part.path)).groupMap(_.bucket)(_.path)
    (shown.keySet ++ gone.keySet).toVector.sorted.flatMap { bucket =>
      (shown.get(bucket), gone.get(bucket)) match {
        case (Some(files), None) => Vector(Change.Added(bucket, files))
        // Unlike a compaction, a rewind removes rows: the new files have the first rows of some former files.
        case (Some(files), Some(paths)) if decision.isRewind =>
          Vector(Change.Removed(bucket, paths), Change.Added(bucket, files))
        case (Some(files), Some(paths)) => Vector(Change.Replaced(bucket, files, paths))
        case (None, paths)              => Vector(Change.Removed(bucket, paths.getOrElse(Vector.empty)))
      }
    } ++ decision.follow.markers
      .filter(marker => isSeen(marker.bucket))
      .map(marker => Change.PartitionComplete(marker.bucket, marker.version))
  }

  private def isSeen(path: String): Boolean = !HiddenNames.areIn(path)

  private def announced(file: VisibleFile): AnnouncedFile =
    AnnouncedFile(file.path, rows = None, file.committedBytes)
}
