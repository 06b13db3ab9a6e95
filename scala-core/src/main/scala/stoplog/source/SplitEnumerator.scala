// SPDX-License-Identifier: Apache-2.0
package stoplog.source

/** Finds what there is to read. On the driver; called by one thread at a time.
  *
  * Lazy: splits are made when they are asked for, so that a source with millions of them holds few. For each micro-batch
  * the engine calls [[discover]], then [[next]] until it has enough or there is none, gives back by [[takeBack]] what is
  * too much, takes a [[snapshot]] and writes it down together with the splits that were taken. After a restart an
  * enumerator made from that snapshot goes on from there: it yields none of these splits again, and all that were not
  * among them.
  */
trait SplitEnumerator[S <: Split] extends AutoCloseable {

  /** Looks for what is new. Cheap when enough is known already. */
  def discover(): Discovery

  /** The next split, the oldest first unless the source says otherwise; none when all that was discovered is handed out.
    */
  def next(): Option[S]

  /** As much of the split as there is room for.
    *
    * The engine takes a split that does not fit whole when there is nothing else in the micro-batch: each makes some
    * progress.
    */
  def fit(split: S, room: Room): Fit[S] =
    if (room.holds(split.size)) Fit.All(split, split.size) else Fit.Nothing()

  /** A split, or what is left of one, comes [[next]] again, before all others. */
  def takeBack(split: S): Unit

  /** The bytes from which [[SplitSource.enumerator]] goes on. Written with each micro-batch: so it should be small.
    *
    * @param end the number of splits that micro-batches have taken from the source's beginning on, this one included
    */
  def snapshot(end: Long): Array[Byte]

  /** The first split, counted from the beginning of the source, that a restored enumerator may ask its context for. */
  def oldestNeeded: Long = Long.MaxValue

  /** From now on only what is there now is yielded, as the trigger `availableNow` wants it. */
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

/** The result of [[SplitEnumerator.fit]]. */
sealed trait Fit[S]
object Fit {
  final case class All[S](split: S, size: SplitSize) extends Fit[S]

  /** The split was cut in two; the rest is to be taken back. */
  final case class Part[S](head: S, size: SplitSize, rest: S) extends Fit[S]

  /** None of it fits. */
  final case class Nothing[S]() extends Fit[S]
}

/** Splits that no micro-batch has taken yet.
  *
  * @param oldestMillis when the oldest of them came to be; none if there is none, or if it is unknown
  */
final case class Outstanding(splits: Long, bytes: Long, oldestMillis: Option[Long])

object Outstanding {
  val none: Outstanding = Outstanding(0, 0, None)
}
