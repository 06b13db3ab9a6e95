// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.util.{Collections, IdentityHashMap}

import scala.collection.mutable

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
)

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

  /** The state behind all of these, of which each was made from the state behind the one before it. Takes time for the state
    * once, however many they are. The order of open parts and of live buckets may be another one than the writer's: it
    * has no meaning.
    *
    * Error: `Left` if one was made from another state.
    */
  def applied(before: SinkState, deltas: Seq[StateDelta]): Either[String, SinkState] =
    deltas.lastOption.fold[Either[String, SinkState]](Right(before)) { last =>
      ListDeltas.applied(before, deltas.map(_.lists)).map { state =>
        state.copy(
          queryId = last.queryId,
          lastEpoch = last.lastEpoch,
          lastBatch = last.lastBatch,
          nextPart = last.nextPart,
          settings = deltas.flatMap(_.settings).lastOption.getOrElse(before.settings)
        )
      }
    }

  /** The difference of two lists whose entries have keys of their own.
    *
    * @param put  entries that are new or changed
    * @param gone keys of those that are no more
    */
  final case class ListDelta[A](put: Vector[A], gone: Vector[String]) {
    def size: Int = put.size + gone.size

    def isEmpty: Boolean = put.isEmpty && gone.isEmpty
  }

  object ListDelta {

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

    /** What stays of a list behind all of these, and behind it what is new or changed. Error: `Left` if an entry that is to go
      * was not there.
      */
    def applied[A](before: Vector[A], deltas: Seq[ListDelta[A]])(
        key: A => String
    ): Either[String, Vector[A]] =
      if (deltas.forall(_.isEmpty)) Right(before)
      else {
        val put    = mutable.LinkedHashMap.empty[String, A]
        val gone   = mutable.Set.empty[String]
        val needed = mutable.LinkedHashSet.empty[String]
        deltas.foreach { delta =>
          delta.gone.foreach { name =>
            if (put.remove(name).isEmpty) needed += name
            gone += name
          }
          delta.put.foreach { entry =>
            put.remove(key(entry)) // it comes behind those that came since
            put.update(key(entry), entry)
          }
        }
        val stays = before.filterNot { entry =>
          val name = key(entry)
          needed -= name
          gone(name) || put.contains(name)
        }
        needed.headOption.map(name => s"'$name' is to go and is not there").toLeft(stays ++ put.values)
      }

    /** By reference. */
    private def same[A <: AnyRef](entries: Vector[A]): java.util.Set[A] = {
      val all = Collections.newSetFromMap(new IdentityHashMap[A, java.lang.Boolean](entries.size * 2))
      entries.foreach(all.add)
      all
    }
  }
}

/** The differences of a state's lists. */
private[log] final case class ListDeltas(
    open: StateDelta.ListDelta[Open],
    live: StateDelta.ListDelta[LiveBucket],
    small: StateDelta.ListDelta[FinishedPart]
) {

  /** The number of entries that differ. */
  def size: Int = open.size + live.size + small.size
}

private[log] object ListDeltas {
  private val openKey  = (part: Open) => part.finishedPath
  private val liveKey  = (bucket: LiveBucket) => bucket.bucket
  private val smallKey = (part: FinishedPart) => part.path

  /** `None` where names occur twice, or where small parts, whose order counts, were not added at the end. */
  def between(before: SinkState, after: SinkState): Option[ListDeltas] = for {
    open  <- StateDelta.ListDelta.between(before.open, after.open)(openKey)
    live  <- StateDelta.ListDelta.between(before.live, after.live)(liveKey)
    small <- StateDelta.ListDelta.between(before.small, after.small)(smallKey)
    if StateDelta.ListDelta.applied(before.small, Seq(small))(smallKey).contains(after.small)
  } yield ListDeltas(open, live, small)

  def applied(before: SinkState, deltas: Seq[ListDeltas]): Either[String, SinkState] = for {
    open  <- StateDelta.ListDelta.applied(before.open, deltas.map(_.open))(openKey)
    live  <- StateDelta.ListDelta.applied(before.live, deltas.map(_.live))(liveKey)
    small <- StateDelta.ListDelta.applied(before.small, deltas.map(_.small))(smallKey)
  } yield before.copy(open = open, live = live, small = small)

  /** The number of entries of a state's lists. */
  def entries(state: SinkState): Int = state.open.size + state.live.size + state.small.size
}
