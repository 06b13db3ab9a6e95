// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.fault.Faults
import stoplog.log.LogRecord
import stoplog.storage.FileStore
import stoplog.thread.Parallel

/** Markers, written at a time that the protocol does not allow. */
object EarlyAnnouncement {
  def of(record: LogRecord, notes: FileStore): Unit = {
    val markers   = record.copy(follow = record.follow.copy(manifest = None))
    val followUps = FollowUps.none("main", notes)
    new MarkerWriter("main", followUps, Parallel.sequential, StorageRetry.never, Faults.none)
      .announce(markers, Set.empty)(_ => ())
  }
}
