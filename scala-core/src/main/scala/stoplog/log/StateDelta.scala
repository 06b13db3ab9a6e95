// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import java.util.{Collections, IdentityHashMap}

import scala.collection.mutable

import stoplog.part.{FinishedPart, Open}

/** The difference between the states of two successive records. A record of version 4 contains a difference
  * instead of the whole state.
  *
  * @param newest, nextPart of the later state, even if unchanged
  * @param settings of the later state, if changed
  */
private[log] final case class StateDelta(
    newest: QueryEpoch,
    nextPart: Long,
    settings: Option[Map[String, String]],
    lists: ListDeltas
)

private[log] object StateDelta {

  /** Returns the difference, or `None` if only the whole later state can express the change. The cost grows
    * with the changed entries. Unchanged parts are compared by reference, because an epoch keeps their
    * objects.
    */
  def between(before: SinkState, after: SinkState): Option[StateDelta] =
    ListDeltas.between(before, after).map { lists =>
      StateDelta(
        after.newest,
        after.nextPart,
        Option.when(after.settings != before.settings)(after.settings),
        lists
      )
    }

  /** Returns the state after all of these differences, each computed from the state after its predecessor.
    * The state is copied once, regardless of the number of differences. Open parts and live buckets may
    * change their order, which has no meaning.
    *
    * Error: `Left` if a difference was computed from another state.
    */
  def applied(before: SinkState, deltas: Seq[StateDelta]): Either[String, SinkState] =
    deltas.lastOption.fold[Either[String, SinkState]](Right(before)) { last =>
      ListDeltas.applied(before, deltas.map(_.lists)).map { state =>
        state.copy(
          newest = last.newest,
          nextPart = last.nextPart,
          settings = deltas.flatMap(_.settings).lastOption.getOrElse(before.settings)
        )
      }
    }

  /** The difference of two lists whose entries have unique keys.
    *
    * @param put  new or changed entries
    * @param gone keys of removed entries
    */
  final case class ListDelta[A](put: Vector[A], gone: Vector[String]) {
    def size: Int = put.size + gone.size

    def isEmpty: Boolean = put.isEmpty && gone.isEmpty
  }

  object ListDelta {

    /** Returns `None` if two changed entries have the same key. */
    def between[A <: AnyRef](before: Vector[A], after: Vector[A])(key: A => String): Option[ListDelta[A]] =
      if ((before eq after) || before.corresponds(after)(_ eq _)) Some(ListDelta(Vector.empty, Vector.empty))
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

    /** Returns the remaining entries of a list after all differences, followed by new and changed entries.
      * Error: `Left` if an entry to remove was missing.
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
            put.remove(key(entry)) // moves the entry after all entries added since
            put.update(key(entry), entry)
          }
        }
        val stays = before.filterNot { entry =>
          val name = key(entry)
          needed -= name
          gone(name) || put.contains(name)
        }
        needed.headOption
          .map(name => s"the record removes '$name', which the base does not contain")
          .toLeft(stays ++ put.values)
      }

    /** Returns a set that compares entries by reference. */
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

  /** Returns the number of changed entries. */
  def size: Int = open.size + live.size + small.size
}

private[log] object ListDeltas {
  private val openKey  = (part: Open) => part.finishedPath
  private val liveKey  = (bucket: LiveBucket) => bucket.bucket
  private val smallKey = (part: FinishedPart) => part.path

  /** `None` for duplicate names, or if small parts, whose order matters, were not appended at the end. */
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

  /** Returns the number of entries of a state's lists. */
  def entries(state: SinkState): Int = state.open.size + state.live.size + state.small.size
}
