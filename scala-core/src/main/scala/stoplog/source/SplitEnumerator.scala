// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Finds the splits to read. Runs on the driver; called by one thread at a time.
  *
  * Splits are created lazily, so that a source with millions of splits holds only a few. For each
  * micro-batch, the engine calls [[discover]], then [[next]] until the micro-batch is full or no split is
  * left. The engine returns surplus splits by [[takeBack]]. Then the engine writes a [[snapshot]] together
  * with the splits of the micro-batch. After a restart, an enumerator that is created from this snapshot MUST
  * return none of these splits again, and MUST return all other splits.
  */
trait SplitEnumerator[S <: Split] extends AutoCloseable {

  /** Searches for new splits. Cheap if enough splits are already known. */
  def discover(): Discovery

  /** Returns the next split, the oldest first unless the source specifies another order; `None` when all
    * discovered splits have been returned.
    */
  def next(): Option[S]

  /** Returns the part of the split that fits into the budget.
    *
    * If the micro-batch has no other split, the engine accepts the whole split even if it does not fit. So
    * each micro-batch makes some progress.
    */
  def admit(split: S, budget: Budget): Admitted[S] =
    if (budget.holds(split.size)) Admitted.All(split, split.size) else Admitted.Nothing()

  /** Returns a split, or the remainder of a split, to the enumerator: [[next]] returns it before all other
    * splits.
    */
  def takeBack(split: S): Unit

  /** Returns the bytes from which [[SplitSource.enumerator]] continues. Written with each micro-batch, so the
    * snapshot SHOULD be small.
    *
    * @param end the number of splits in all micro-batches since the start of the source, including this
    *            micro-batch
    */
  def snapshot(end: Long): Array[Byte]

  /** The number of the first split, from the start of the source, that a restored enumerator may request. */
  def oldestNeeded: Long = Long.MaxValue

  /** Limits the enumerator to the splits that exist now, as required by the trigger `availableNow` and by a
    * batch query. Called before [[discover]].
    */
  def fixTarget(): Unit

  /** Called when the micro-batches of these splits are committed. After a restart, the same splits may be
    * reported again.
    *
    * @param first the number of the first of these splits, counted from the start of the source
    */
  def committed(first: Long, splits: Iterator[S]): Unit = ()

  /** Returns the known unread splits. Searches for no new splits. */
  def outstanding: Outstanding

  /** The metrics of the source, by their displayed names. */
  def metrics: Map[String, String] = Map.empty
}

/** The result of [[SplitEnumerator.discover]]. */
sealed trait Discovery
object Discovery {

  /** All present splits have been returned once [[SplitEnumerator.next]] returns `None`. */
  case object Complete extends Discovery

  /** There may be more splits than can be held: call again after [[SplitEnumerator.next]] returns `None`. */
  case object Partial extends Discovery
}

/** The result of [[SplitEnumerator.admit]]. */
sealed trait Admitted[S]
object Admitted {
  final case class All[S](split: S, size: SplitSize) extends Admitted[S]

  /** The split was divided; the rest MUST be returned by [[SplitEnumerator.takeBack]]. */
  final case class Part[S](head: S, size: SplitSize, rest: S) extends Admitted[S]

  /** No part of the split fits. */
  final case class Nothing[S]() extends Admitted[S]
}

/** Splits that no micro-batch contains yet.
  *
  * @param oldestMillis the time of creation of the oldest split; `None` without splits, or if the time is
  *                     unknown
  */
final case class Outstanding(splits: Long, bytes: Long, oldestMillis: Option[Long])

object Outstanding {
  val none: Outstanding = Outstanding(0, 0, None)
}

/** The initial state of an enumerator.
  *
  * @param restored the newest [[SplitEnumerator.snapshot]] that was written; `None` for a new source
  * @param assigned returns the splits of all micro-batches so far, starting with the split of this number
  * @param state    a directory for the enumerator, for state that is too large for a snapshot
  * @param batches  returns the same splits as `assigned`, for each micro-batch with its snapshot
  */
final case class EnumeratorContext[S](
    restored: Option[Array[Byte]],
    assigned: Long => Iterator[S],
    state: StateFiles,
    batches: Long => Iterator[AssignedSplits[S]] = (_: Long) => Iterator.empty
) {

  /** Whether this is a batch query, which reads all present data once and keeps no state. */
  def isOnce: Boolean = state == StateFiles.None
}

/** The splits of one micro-batch, and the enumerator's snapshot after these splits. */
final case class AssignedSplits[S](splits: Seq[S], snapshot: Array[Byte])

/** The limits of one micro-batch, which ends at the first reached limit, and reads at least one split. */
final case class ReadLimits(splits: Option[Long], bytes: Option[Long], records: Option[Long]) {

  /** Combines both limits: the lower limit applies. */
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

/** The unused remainder of a micro-batch's limits.
  *
  * @param limits of the whole micro-batch, to compute the remainder
  * @param over   whether the micro-batch ends here, regardless of the remainder
  */
final case class Budget(limits: ReadLimits, usedBytes: Long, usedRecords: Long, over: Boolean = false) {

  /** `None` for no limit. */
  def bytes: Option[Long] = limits.bytes.map(_ - usedBytes)

  /** `None` for no limit. */
  def records: Option[Long] = limits.records.map(_ - usedRecords)

  /** Whether a split fits. If records are limited, a split with an unknown number does not fit. */
  def holds(size: SplitSize): Boolean =
    bytes.forall(_ >= size.bytes) && records.forall(left => size.records.exists(_ <= left))

  /** Whether the micro-batch has nothing to read yet, so that it has to accept a split. */
  def isUnused: Boolean = usedBytes == 0 && usedRecords == 0

  private[source] def minus(size: SplitSize): Budget =
    copy(usedBytes = usedBytes + size.bytes, usedRecords = usedRecords + size.records.getOrElse(0L))

  private[source] def full: Budget = copy(over = true)

  private[source] def isFull: Boolean = over || bytes.exists(_ <= 0) || records.exists(_ <= 0)
}
