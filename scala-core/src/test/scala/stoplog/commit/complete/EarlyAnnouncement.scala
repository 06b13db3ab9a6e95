package stoplog.commit.complete

import stoplog.commit.{Parallel, Retry}
import stoplog.fault.Faults
import stoplog.log.LogRecord
import stoplog.store.NoteStore

/** What follows a record, done at a time that the protocol does not allow. */
object EarlyAnnouncement {
  def of(record: LogRecord, notes: NoteStore): Unit =
    new Announcer(FollowUps.none("main", notes), Parallel.sequential, Retry.never, Faults.none).announce(record)
}
