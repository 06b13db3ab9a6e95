// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{CommitLog, LogRecord, RecordOutcome}
import stoplog.storage.FileStore
import stoplog.thread.Clock

/** The announcements of a batch job: of the job's own log, and of the log of replacements. */
private[stoplog] trait JobAnnouncements {

  /** Receives the record of the job's own log. */
  def own: Announcing

  /** Receives the records of the log of replacements. */
  def replacements: Announcing

  /** Waits for the targets within a limit, and ends all threads. Never throws.
    *
    * @return whether the targets have all announcements, so that the job's own log may be deleted
    */
  def end(): Boolean

  /** Delivers the announcements of a job that has died, whose record was carried out. Never throws.
    *
    * @return whether no target needs the log of the job any more
    */
  def rest(newest: LogRecord): Boolean
}

private[stoplog] object JobAnnouncements {

  /** For a path without any target. */
  case object Nothing extends JobAnnouncements {
    override def own: Announcing                  = Announcing.Nothing
    override def replacements: Announcing         = Announcing.Nothing
    override def end(): Boolean                   = true
    override def rest(newest: LogRecord): Boolean = true
  }

  /** Creates the announcements of a job without targets. Its process deletes no record that targets of other
    * processes need.
    *
    * @param replaced the log of replacements of the path
    */
  def without(files: FileStore, logName: String, replaced: => CommitLog, clock: Clock): JobAnnouncements =
    new JobAnnouncements {
      override def own: Announcing                  = Announcing.Nothing
      override def replacements: Announcing         = new StoredCursors(files, Replacements.SinkId)
      override def end(): Boolean                   = true
      override def rest(newest: LogRecord): Boolean =
        StoredCursors.isOver(files, logName, newest, clock.millis()) &&
          OtherTargets.remember(files, replaced, logName, AnnouncementCursor.targets(files, logName))
    }
}

/** Keeps the records that targets of other processes need, by their cursors. For tools and jobs without
  * targets.
  *
  * @param limit the largest number of kept records. By default a job limits the log of replacements, because
  *              possibly no later job has the target
  */
private[stoplog] final class StoredCursors(
    files: FileStore,
    logName: String,
    limit: Long = StoredCursors.MostRecords
) extends Announcing {
  override def settled(record: LogRecord, outcome: => RecordOutcome): Unit = ()
  override def recovered(newest: Long): Unit                               = ()

  override def keepFrom(newest: Long): Long =
    StoredCursors.next(files, logName).fold(Long.MaxValue)(_.max(newest - limit + 1))
}

/** Announces the records of a log that several processes write, and keeps the records that the targets of
  * other processes need.
  */
private[stoplog] final class SharedLog(announcer: Announcing, others: Announcing) extends Announcing {
  override def settled(record: LogRecord, outcome: => RecordOutcome): Unit =
    announcer.settled(record, outcome)
  override def recovered(newest: Long): Unit = announcer.recovered(newest)
  override def keepFrom(newest: Long): Long  = announcer.keepFrom(newest).min(others.keepFrom(newest))
}

private[stoplog] object StoredCursors {

  /** Creates the cursors for a tool on the log of a query. Only the query knows how many records its log
    * keeps for targets, and removes further records itself.
    */
  def ofQuery(files: FileStore, sinkId: String): StoredCursors =
    new StoredCursors(files, sinkId, limit = Long.MaxValue)

  /** Returns whether no target needs the log of a job any more. A target that no process serves holds a log
    * for a limited time.
    */
  def isOver(files: FileStore, logName: String, newest: LogRecord, nowMillis: Long): Boolean =
    nowMillis - newest.writtenAtMillis > MostMillis ||
      cursors(files, logName).forall(_.exists(_.next > newest.seq)) // none before a snapshot

  /** Returns the lowest cursor of a log. */
  private def next(files: FileStore, logName: String): Option[Long] =
    cursors(files, logName).flatten.map(_.next).minOption

  private def cursors(files: FileStore, logName: String): Vector[Option[AnnouncementCursor.Position]] =
    AnnouncementCursor.targets(files, logName).map(new AnnouncementCursor(files, logName, _).read())

  /** The defaults of `announceBacklog`. */
  private final val MostRecords = 1000L
  private final val MostMillis  = 7 * 24 * 60 * 60 * 1000L
}
