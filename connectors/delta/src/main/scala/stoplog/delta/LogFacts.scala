// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import io.delta.kernel.data.Row

import stoplog.announce.{Announcement, AnnouncementId}
import stoplog.announce.table.AbsentFiles

/** The facts about the log of the announcements, which a commit stores.
  *
  * The position is a transaction identifier. Two rare facts are properties of the table, because a change of
  * properties makes the commits of other writers fail that run at the same time.
  *
  * @param id           of the newest announcement of the commit
  * @param millis       the time of its decision
  * @param listedMillis the time of the newest snapshot announcement
  */
private[delta] final case class LogFacts(
    target: String,
    id: AnnouncementId,
    millis: Long,
    listedMillis: Option[Long]
) {
  import LogFacts._

  def position: Row = StoredPosition.action(target, id, millis)

  /** Returns the absent files that the table knows. */
  def absentIn(properties: Map[String, String]): AbsentFiles = {
    val ofTarget = s"stoplog.absent.$target."
    new AbsentFiles(ofTarget + id.log.name, properties.filter(_._1.startsWith(ofTarget)))
  }

  /** The property for the time of the newest snapshot announcement, if there was a snapshot. */
  def listedProperty: Option[(String, String)] =
    listedMillis.map(millis => listed(target, id.log.name) -> millis.toString)
}

private[delta] object LogFacts {

  def of(target: String, announcement: Announcement, listedMillis: Option[Long]): LogFacts =
    LogFacts(target, announcement.id, announcement.decidedAtMillis, listedMillis)

  /** Returns the time of the newest snapshot announcement of all logs that the table has. */
  def listedIn(properties: Map[String, String], target: String): Option[Long] =
    properties.view.filterKeys(_.startsWith(listed(target, ""))).values.flatMap(_.toLongOption).maxOption

  private def listed(target: String, logName: String): String = s"stoplog.listed.$target.$logName"
}
