// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import stoplog.announce.AnnouncementId

/** The position of a log as a table stores it, and whether the table has the commits up to the position. */
private[stoplog] sealed trait TablePosition {

  def stored: Option[AnnouncementId]

  /** Returns the position that a target may report. A table that was set back has none: the position stays in
    * the table, and the delivered files do not.
    */
  final def kept: Option[AnnouncementId] = this match {
    case _: TablePosition.SetBack => None
    case other                    => other.stored
  }
}

private[stoplog] object TablePosition {

  case object Missing extends TablePosition {
    override def stored: Option[AnnouncementId] = None
  }

  final case class Kept(id: AnnouncementId) extends TablePosition {
    override def stored: Option[AnnouncementId] = Some(id)
  }

  /** The table was restored to a version before the newest commit of the log. */
  final case class SetBack(id: AnnouncementId) extends TablePosition {
    override def stored: Option[AnnouncementId] = Some(id)
  }

  def of(stored: Option[AnnouncementId])(isSetBack: AnnouncementId => Boolean): TablePosition =
    stored.fold[TablePosition](Missing)(id => if (isSetBack(id)) SetBack(id) else Kept(id))
}
