// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog

/** The position of one target in one log, as stored: for tools, in any process.
  *
  * @param logName            the name of the log
  * @param next               the first record that is not announced
  * @param newest             the newest record; -1 without a record
  * @param waitingSinceMillis when the oldest waiting record was decided; `None` if no record waits, or if the
  *                           log does not keep the record any more
  * @param failure            the first failure since the position was written
  */
private[stoplog] final case class AnnouncementStatus(
    logName: String,
    target: String,
    next: Long,
    newest: Long,
    waitingSinceMillis: Option[Long],
    failure: Option[AnnouncementCursor.Failure]
) {
  def lagRecords: Long = (newest - next + 1).max(0)
}

private[stoplog] object AnnouncementStatus {

  /** Returns the targets that have a cursor in this log. */
  def of(place: Announcer.Place): Vector[AnnouncementStatus] =
    AnnouncementCursor.targets(place.files, place.logName) match {
      case Vector() => Vector.empty
      case targets  =>
        val log    = place.log()
        val newest = log.newest().fold(-1L)(_.seq)
        targets.map(of(place, _, log, newest))
    }

  private def of(
      place: Announcer.Place,
      target: String,
      log: CommitLog,
      newest: Long
  ): AnnouncementStatus = {
    val cursor   = new AnnouncementCursor(place.files, place.logName, target)
    val position = cursor.read()
    val next     = position.fold(0L)(_.next)
    AnnouncementStatus(
      place.logName,
      target,
      next,
      newest,
      if (next > newest) None else log.decisionAt(next).map(_.writtenAtMillis),
      cursor.failure(position)
    )
  }
}
