// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.{Announcement, AnnouncementId, Change}

/** The files that a target has refused, and that the announcer has then left out. The table stores the paths
  * as absent files in the commit that passes the announcement. So the later removal of such a file has no
  * effect. After a restart, the announcer repeats announcements after the position, and the target refuses
  * the files again. Used by one thread.
  *
  * The new files of a refused replacement are not among these files: the table keeps the former rows. Other
  * rows in place of the new files would double the rows of the table, so their removal is refused too.
  */
private[stoplog] final class LeftOutFiles {
  private var refused = Vector.empty[Announcement]

  /** Notes the announcements of a refused call. */
  def refuse(announcements: Vector[Announcement]): Unit =
    refused = refused.filterNot(known => announcements.exists(_.id == known.id)) ++ announcements

  /** Returns the paths of the refused files that a commit of these announcements leaves out.
    *
    * @param position the stored position
    */
  def in(announcements: Vector[Announcement], position: Option[AnnouncementId]): Set[String] =
    announcements.lastOption.fold(Set.empty[String]) { last =>
      val passed = refused.filter(each => isUntil(each, last.id) && position.forall(each.id.isAfter))
      passed.flatMap(added).toSet -- announcements.flatMap(added)
    }

  /** Forgets the announcements that the table has passed. */
  def note(position: AnnouncementId): Unit = refused = refused.filterNot(isUntil(_, position))

  private def isUntil(announcement: Announcement, last: AnnouncementId): Boolean =
    announcement.id.log == last.log && !announcement.id.isAfter(last)

  private def added(announcement: Announcement): Vector[String] = announcement.change match {
    case Change.Added(_, files)    => files.map(_.path)
    case Change.Snapshot(_, files) => files.map(_.path)
    case _                         => Vector.empty
  }
}
