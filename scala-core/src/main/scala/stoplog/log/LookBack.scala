// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The look at a log after a record was created there. The look decides if the record counts (I3, I7, decision 0001).
  *
  * A writer that slept while others wrote more records than are kept finds its place free again. The newest record is
  * never removed, so a writer that was overtaken sees it. For the same reason a writer that was not overtaken sees its
  * own record and the record before it. If one of the two is missing, the listing is of another place: an unmounted
  * disk, a directory that was replaced, or the disk of another host.
  */
private[stoplog] sealed trait LookBack extends Product with Serializable

private[stoplog] object LookBack {

  /** The record is the newest one of the log that its writer knows. */
  case object Newest extends LookBack

  /** A newer record is there. */
  final case class Overtaken(by: Long) extends LookBack

  /** This record is not there, and neither is a newer one. */
  final case class Elsewhere(missing: Long) extends LookBack

  /** @param record what must be the newest record
    * @param before the record before it, which its writer has read or written; `None` for the first one of a log
    * @param there  all records, listed after `record` was created
    */
  def at(record: Long, before: Option[Long], there: Iterable[Long]): LookBack =
    overtaking(record, there) match {
      case Some(newer) => Overtaken(newer)
      case None        =>
        val found = there.toSet
        (before ++ Some(record)).find(!found(_)).fold[LookBack](Newest)(Elsewhere(_))
    }

  /** The record that overtook this one, if one did.
    *
    * @param there all records, listed after this one was created
    */
  def overtaking(record: Long, there: Iterable[Long]): Option[Long] = there.maxOption.filter(_ > record)
}
