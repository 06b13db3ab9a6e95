// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.AnnouncementId

/** The newest positions that a target has seen in its table. A table without a seen position was dropped,
  * renamed or restored from an older version, and lacks files. Later files alone must not become a table.
  * Used by one thread.
  */
private[stoplog] final class SeenPositions {
  private var newest = Map.empty[String, AnnouncementId]

  /** Checks, notes and returns the position of a log, whose identity was checked before. A table that was set
    * back is an error also for a target that has seen no position.
    *
    * Error: `IllegalStateException` if the table has lost a position. The announcer repeats the call, and
    * succeeds after the table was restored.
    */
  def see(logName: String, position: TablePosition): Option[AnnouncementId] = {
    val stored  = position.kept
    val setBack = if (stored.isEmpty) position.stored else None
    newest.get(logName).orElse(setBack).filter(seen => stored.forall(seen.isAfter)).foreach { seen =>
      throw new IllegalStateException(
        s"the table had the position $seen, and now has ${stored.fold("none")(_.toString)}: it was dropped, renamed or " +
          "restored from an older version. Restore the table; or start the query again for the next step"
      )
    }
    stored.foreach(note)
    stored
  }

  /** Notes the position after a successful delivery. */
  def note(position: AnnouncementId): Unit = newest += position.log.name -> position
}
