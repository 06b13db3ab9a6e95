// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Finds the splits that are to be read. On the driver; called by one thread at a time.
  *
  * Lazy: splits are made when they are asked for, so that a source with millions of them holds few. For each micro-batch
  * the engine calls [[discover]], then [[next]] until it has enough or there is none, gives back by [[takeBack]] all
  * that is too much, takes a [[snapshot]] and writes it down together with the splits that were taken. After a restart an
  * enumerator made from that snapshot goes on from there: it yields none of these splits again, and all that were not
  * among them.
  */
trait SplitEnumerator[S <: Split] extends AutoCloseable {

  /** Looks for new splits. Cheap when enough are known already. */
  def discover(): Discovery

  /** The next split, the oldest first unless the source says otherwise; none when all that was discovered is handed out.
    */
  def next(): Option[S]

  /** As much of the split as the budget allows.
    *
    * The engine takes a split that does not fit whole when there is nothing else in the micro-batch: each makes some
    * progress.
    */
  def admit(split: S, budget: Budget): Admitted[S] =
    if (budget.holds(split.size)) Admitted.All(split, split.size) else Admitted.Nothing()

  /** A split, or what is left of one, comes [[next]] again, before all others. */
  def takeBack(split: S): Unit

  /** The bytes from which [[SplitSource.enumerator]] goes on. Written with each micro-batch: so it should be small.
    *
    * @param end the number of splits that micro-batches have taken from the source's beginning on, this one included
    */
  def snapshot(end: Long): Array[Byte]

  /** The first split, counted from the beginning of the source, that a restored enumerator may ask its context for. */
  def oldestNeeded: Long = Long.MaxValue

  /** Confines the enumerator to the splits that exist now, as the trigger `availableNow` wants it. */
  def fixTarget(): Unit

  /** The micro-batches of these splits are committed. May be told of splits twice, after a restart.
    *
    * @param first the number of the first of them, counted from the source's beginning
    */
  def committed(first: Long, splits: Iterator[S]): Unit = ()

  /** The splits known to be unread, without looking. */
  def outstanding: Outstanding

  /** The source's own metrics, by the names under which they are shown. */
  def metrics: Map[String, String] = Map.empty
}

/** The result of [[SplitEnumerator.discover]]. */
sealed trait Discovery
object Discovery {

  /** All that there is now has been handed out once [[SplitEnumerator.next]] yields none. */
  case object Complete extends Discovery

  /** There may be more than could be held at once: ask again then. */
  case object Partial extends Discovery
}

/** The result of [[SplitEnumerator.admit]]. */
sealed trait Admitted[S]
object Admitted {
  final case class All[S](split: S, size: SplitSize) extends Admitted[S]

  /** The split was cut in two; the rest is to be taken back. */
  final case class Part[S](head: S, size: SplitSize, rest: S) extends Admitted[S]

  /** None of it fits. */
  final case class Nothing[S]() extends Admitted[S]
}

/** Splits that no micro-batch has taken yet.
  *
  * @param oldestMillis when the oldest of them came to be; none if there is none, or if it is unknown
  */
final case class Outstanding(splits: Long, bytes: Long, oldestMillis: Option[Long])

object Outstanding {
  val none: Outstanding = Outstanding(0, 0, None)
}

/** The initial state of an enumerator.
  *
  * @param restored the newest [[SplitEnumerator.snapshot]] that was written down; none for a source that starts anew
  * @param assigned the splits that micro-batches have taken so far, from the one with this number on
  * @param state    a directory of the enumerator's own, for state that is too large for a snapshot
  * @param batches  the same splits as `assigned`, of each micro-batch with the snapshot that was written with them
  */
final case class EnumeratorContext[S](
    restored: Option[Array[Byte]],
    assigned: Long => Iterator[S],
    state: StateFiles,
    batches: Long => Iterator[AssignedSplits[S]] = (_: Long) => Iterator.empty
) {

  /** Whether this is a batch query, which reads all there is once and keeps no state. */
  def isOnce: Boolean = state == StateFiles.None
}

/** The splits of one micro-batch, and the enumerator's snapshot after them. */
final case class AssignedSplits[S](splits: Seq[S], snapshot: Array[Byte])

/** The limits of one micro-batch: the first that it reaches ends it, and it reads one split at least. */
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
final case class Budget(limits: ReadLimits, usedBytes: Long, usedRecords: Long, over: Boolean = false) {

  /** None for no limit. */
  def bytes: Option[Long] = limits.bytes.map(_ - usedBytes)

  /** None for no limit. */
  def records: Option[Long] = limits.records.map(_ - usedRecords)

  /** Whether a split fits; one with an unknown number of records does not, if they are limited. */
  def holds(size: SplitSize): Boolean =
    bytes.forall(_ >= size.bytes) && records.forall(left => size.records.exists(_ <= left))

  /** Whether the micro-batch has nothing to read yet, so that it has to take something. */
  def isUnused: Boolean = usedBytes == 0 && usedRecords == 0

  private[source] def minus(size: SplitSize): Budget =
    copy(usedBytes = usedBytes + size.bytes, usedRecords = usedRecords + size.records.getOrElse(0L))

  private[source] def full: Budget = copy(over = true)

  private[source] def isFull: Boolean = over || bytes.exists(_ <= 0) || records.exists(_ <= 0)
}
