// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The check of a log after a record was created. The check decides if the record counts (I3, I7, decision
  * 0001).
  *
  * If other runs write more records than are kept, a paused writer finds its place free again. The newest
  * record is never removed, so an overtaken writer sees a newer record. For the same reason, any other writer
  * sees its own record and all records that a trim must keep. If one of them is missing, the listing shows
  * another place: an unmounted disk, a replaced directory, or the disk of another host. The preceding record
  * alone does not prove the place: an earlier outage may have left a record with its number there.
  */
private[stoplog] sealed trait LookBack extends Product with Serializable

private[stoplog] object LookBack {

  /** The record is the newest record of the log known to its writer. */
  case object Newest extends LookBack

  /** A newer record exists. */
  final case class Overtaken(by: Long) extends LookBack

  /** Neither this record nor a newer record exists. */
  final case class Elsewhere(missing: Long) extends LookBack

  /** @param record the record that must be the newest record
    * @param before preceding records, seen by the writer, that no run removes before it adds a newer record
    * @param there  all records, listed after `record` was created
    */
  def at(record: Long, before: Seq[Long], there: Iterable[Long]): LookBack =
    overtaking(record, there) match {
      case Some(newer) => Overtaken(newer)
      case None        =>
        val found = there.toSet
        (before :+ record).find(!found(_)).fold[LookBack](Newest)(Elsewhere(_))
    }

  /** Returns the record that overtook this record, if any.
    *
    * @param there all records, listed after this record was created
    */
  def overtaking(record: Long, there: Iterable[Long]): Option[Long] = there.maxOption.filter(_ > record)
}
