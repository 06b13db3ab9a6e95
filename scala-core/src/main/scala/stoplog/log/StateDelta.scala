// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.util.{Collections, IdentityHashMap}

import stoplog.part.{FinishedPart, Open}

/** The difference between the states of two records of which one follows the other: what a record of version 4 holds in
  * place of the whole state.
  *
  * @param lastEpoch, lastBatch, nextPart, queryId of the later state, whether they differ or not
  * @param settings  of the later state, if they differ
  */
private[log] final case class StateDelta(
    queryId: String,
    lastEpoch: Option[Long],
    lastBatch: Option[BatchDigest],
    nextPart: Long,
    settings: Option[Map[String, String]],
    lists: ListDeltas
) {

  /** The later state. The order of open parts and of live buckets may be another one than the writer's: it has no meaning.
    *
    * Error: `Left` if this was not made from that state.
    */
  def appliedTo(before: SinkState): Either[String, SinkState] =
    lists.appliedTo(before).map { state =>
      state.copy(
        queryId = queryId,
        lastEpoch = lastEpoch,
        lastBatch = lastBatch,
        nextPart = nextPart,
        settings = settings.getOrElse(before.settings)
      )
    }
}

private[log] object StateDelta {

  /** The difference, unless only the whole later state can say it. Takes time for what differs, and a look at the rest:
    * an epoch leaves the objects of parts that it does not touch.
    */
  def between(before: SinkState, after: SinkState): Option[StateDelta] =
    ListDeltas.between(before, after).map { lists =>
      StateDelta(
        after.queryId,
        after.lastEpoch,
        after.lastBatch,
        after.nextPart,
        Option.when(after.settings != before.settings)(after.settings),
        lists
      )
    }
}

/** The differences of a state's lists. */
private[log] final case class ListDeltas(
    open: ListDelta[Open],
    live: ListDelta[LiveBucket],
    small: ListDelta[FinishedPart]
) {
  import ListDeltas._

  /** The number of entries that differ. */
  def size: Int = open.size + live.size + small.size

  def appliedTo(before: SinkState): Either[String, SinkState] = for {
    open  <- this.open.appliedTo(before.open)(openKey)
    live  <- this.live.appliedTo(before.live)(liveKey)
    small <- this.small.appliedTo(before.small)(smallKey)
  } yield before.copy(open = open, live = live, small = small)
}

private[log] object ListDeltas {
  private val openKey  = (part: Open) => part.finishedPath
  private val liveKey  = (bucket: LiveBucket) => bucket.bucket
  private val smallKey = (part: FinishedPart) => part.path

  /** `None` where names occur twice, or where small parts, whose order counts, were not added at the end. */
  def between(before: SinkState, after: SinkState): Option[ListDeltas] = for {
    open  <- ListDelta.between(before.open, after.open)(openKey)
    live  <- ListDelta.between(before.live, after.live)(liveKey)
    small <- ListDelta.between(before.small, after.small)(smallKey)
    if small.appliedTo(before.small)(smallKey).contains(after.small)
  } yield ListDeltas(open, live, small)

  /** The number of entries of a state's lists. */
  def entries(state: SinkState): Int = state.open.size + state.live.size + state.small.size
}

/** The difference of two lists whose entries have keys of their own.
  *
  * @param put  entries that are new or changed
  * @param gone keys of those that are no more
  */
private[log] final case class ListDelta[A](put: Vector[A], gone: Vector[String]) {
  def size: Int = put.size + gone.size

  def isEmpty: Boolean = put.isEmpty && gone.isEmpty

  /** The later list: what stays, and behind it what is new or changed. Error: `Left` if an entry that is gone was not there. */
  def appliedTo(before: Vector[A])(key: A => String): Either[String, Vector[A]] =
    if (isEmpty) Right(before)
    else {
      val goes    = gone.toSet
      val changes = put.iterator.map(key).toSet
      val known   = before.iterator.map(key).filter(goes).toSet
      gone
        .find(!known(_))
        .toLeft(before.filterNot { entry =>
          val name = key(entry); goes(name) || changes(name)
        } ++ put)
        .left
        .map(name => s"'$name' is to go and is not there")
    }
}

private[log] object ListDelta {

  /** `None` where two of the entries that differ have the same key. */
  def between[A <: AnyRef](before: Vector[A], after: Vector[A])(key: A => String): Option[ListDelta[A]] =
    if (before eq after) Some(ListDelta(Vector.empty, Vector.empty))
    else {
      val (earlier, later) = (same(before), same(after))
      val left             = before.filterNot(later.contains(_)).map(entry => key(entry) -> entry)
      val come             = after.filterNot(earlier.contains(_)).map(entry => key(entry) -> entry)
      val (was, is)        = (left.toMap, come.toMap)
      Option.when(was.sizeIs == left.size && is.sizeIs == come.size) {
        ListDelta(
          come.collect { case (name, entry) if !was.get(name).contains(entry) => entry },
          left.collect { case (name, _) if !is.contains(name) => name }
        )
      }
    }

  /** By reference. */
  private def same[A <: AnyRef](entries: Vector[A]): java.util.Set[A] = {
    val all = Collections.newSetFromMap(new IdentityHashMap[A, java.lang.Boolean](entries.size * 2))
    entries.foreach(all.add)
    all
  }
}
