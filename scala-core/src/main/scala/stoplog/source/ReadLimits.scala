// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** How much one micro-batch may read; what is reached first ends it, and it reads one split at least. */
final case class ReadLimits(splits: Option[Long], bytes: Option[Long], records: Option[Long]) {

  /** Both limits, whichever is lower. */
  def and(other: ReadLimits): ReadLimits =
    ReadLimits(
      lower(splits, other.splits),
      lower(bytes, other.bytes),
      lower(records, other.records)
    )

  private def lower(a: Option[Long], b: Option[Long]): Option[Long] = (a ++ b).minOption
}

object ReadLimits {
  val none: ReadLimits = ReadLimits(None, None, None)
}

/** The unused rest of a micro-batch's limits.
  *
  * @param limits of the whole micro-batch, to see how much that is
  * @param over   whether the micro-batch ends here, whatever is left
  */
final case class Room(limits: ReadLimits, usedBytes: Long, usedRecords: Long, over: Boolean = false) {

  /** None for no limit. */
  def bytes: Option[Long] = limits.bytes.map(_ - usedBytes)

  /** None for no limit. */
  def records: Option[Long] = limits.records.map(_ - usedRecords)

  /** Whether a split fits; one with an unknown number of records does not, if they are limited. */
  def holds(size: SplitSize): Boolean =
    bytes.forall(_ >= size.bytes) && records.forall(room => size.records.exists(_ <= room))

  /** Whether the micro-batch has nothing to read yet, so that it has to take something. */
  def isUnused: Boolean = usedBytes == 0 && usedRecords == 0

  private[source] def minus(size: SplitSize): Room =
    copy(usedBytes = usedBytes + size.bytes, usedRecords = usedRecords + size.records.getOrElse(0L))

  private[source] def full: Room = copy(over = true)

  private[source] def isFull: Boolean = over || bytes.exists(_ <= 0) || records.exists(_ <= 0)
}
