// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** The first announcement of a target that has no cursor yet. */
private[stoplog] sealed trait FirstAnnouncement extends Product with Serializable

private[stoplog] object FirstAnnouncement {

  /** The first record after the newest record of the log. */
  case object Newest extends FirstAnnouncement

  /** All visible files, and then the records after the listing. */
  case object Snapshot extends FirstAnnouncement
}

/** The reaction to announcements that a target refuses. */
private[stoplog] sealed trait OnRefused extends Product with Serializable

private[stoplog] object OnRefused {

  /** The announcer stops, and the next start repeats the announcements. */
  case object Stop extends OnRefused

  /** The announcer reports the announcements, and continues with the next announcements. */
  case object Skip extends OnRefused
}

/** The reaction to more waiting records than the limits permit. */
private[stoplog] sealed trait OnBacklog extends Product with Serializable

private[stoplog] object OnBacklog {

  /** The target receives a note about the missing announcements, and later announcements. */
  case object Gap extends OnBacklog

  /** The query fails before its next epoch. No announcement is lost. */
  case object Fail extends OnBacklog
}

/** The limits of the records that a log keeps for targets.
  *
  * @param records   the number of records
  * @param ageMillis the age of the oldest record
  * @param endMillis the time for which the end of a query, or of a batch job, waits for targets
  */
private[stoplog] final case class AnnouncementLimits(
    records: Int,
    ageMillis: Long,
    onBacklog: OnBacklog,
    endMillis: Long
)
