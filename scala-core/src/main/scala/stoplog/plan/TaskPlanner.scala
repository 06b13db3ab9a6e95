// SPDX-License-Identifier: Apache-2.0
package stoplog.plan

import stoplog.log.RecordCodec
import stoplog.part.Open

/** Sends the plans of one run, from epoch to epoch.
  *
  * A large plan has a base for each task: its parts in an earlier epoch, which the engine still holds for the
  * task. Each epoch sends only the changes since. When the sent changes reach the size of the base, the parts
  * are sent again in full. So the volume depends on the written parts, and not on the number of open parts.
  *
  * @param inlineBytes the limit for data in the object of all tasks: Spark warns of 1,000 KiB
  * @param pieceBytes  the size of one piece, unless the data of one task is larger; a piece costs the engine
  *                    one or two messages
  */
private[stoplog] final class TaskPlanner(inlineBytes: Long = 768L << 10, pieceBytes: Int = 256 << 10) {
  import TaskPlanner._
  import TaskPlans.{Carried, Slice}

  private[this] var bases   = Map.empty[Int, Base]  // by slot, like `changes`
  private[this] var changes = Map.empty[Int, Slice] // for the newest epoch only

  /** Returns the plan of the next epoch. Closes data that only tasks of earlier epochs can request.
    *
    * @param carry transfers bytes to the tasks that request the bytes; not called for a small plan
    */
  def next(plan: EpochPlan, carry: Array[Byte] => Carried): TaskPlans = synchronized {
    val before = held
    val plans  = encodedWithin(plan.handed) match {
      case Some(encoded) =>
        forget()
        TaskPlans.inline(plan, encoded)
      case None =>
        send(plan.handed, carry)
        new TaskPlans(plan, bases.map { case (slot, base) => slot -> base.at }, changes)
    }
    before.diff(held).foreach(_.close())
    plans
  }

  /** Closes all data: no epoch follows. */
  def close(): Unit = synchronized {
    val before = held
    forget()
    before.foreach(_.close())
  }

  /** Returns the bytes of all slots, unless the bytes exceed the limit for the object of all tasks. */
  private def encodedWithin(handed: Map[Int, Vector[Open]]): Option[Encoded] = {
    val parts = handed.valuesIterator.map(_.size.toLong).sum
    if (parts * LeastBytes > inlineBytes) None
    else {
      val encoded = handed.iterator.map { case (slot, parts) => slot -> RecordCodec.encodeOpen(parts) }
      var bytes   = 0L
      val within  = encoded.takeWhile { entry =>
        bytes += entry._2.length
        bytes <= inlineBytes
      }.toVector
      Option.when(within.size == handed.size)(within)
    }
  }

  private def send(handed: Map[Int, Vector[Open]], carry: Array[Byte] => Carried): Unit = {
    val usable  = if (isMostlyUnused) Map.empty[Int, Base] else bases
    val changed = handed.flatMap { case (slot, parts) =>
      usable.get(slot).flatMap(_.changedTo(parts)).map(slot -> _)
    }
    val anew = handed.keySet.diff(changed.keySet).toVector.sorted
    val sent = carried(anew.map(slot => slot -> RecordCodec.encodeOpen(handed(slot))), carry).map {
      case (slot, at) => slot -> new Base(handed(slot), at, changesSent = 0)
    }
    val come   = changed.toVector.filter(_._2.nonEmpty).sortBy(_._1)
    val isFew  = come.iterator.map(_._2.length.toLong).sum <= inlineBytes
    val others = carried(come, if (isFew) new TaskPlans.Inline(_) else carry)
    bases = sent ++ changed.map { case (slot, bytes) => slot -> usable(slot).sending(bytes) }
    changes = others
  }

  /** Returns the locations of all entries; neighbours share a piece. */
  private def carried(entries: Encoded, carry: Array[Byte] => Carried): Map[Int, Slice] = {
    val pieces = Vector.unfold(entries) { left =>
      val sizes = left.iterator.map(_._2.length.toLong).scanLeft(0L)(_ + _).drop(1)
      Option.when(left.nonEmpty)(left.splitAt(sizes.takeWhile(_ <= pieceBytes).size.max(1)))
    }
    pieces.flatMap(TaskPlans.slices(_, carry)).toMap
  }

  /** Returns whether most sent bytes are unused: a piece stays as long as one slot has its base there. */
  private def isMostlyUnused: Boolean = {
    val inUse = bases.valuesIterator.map(_.at).toVector
    inUse.distinctBy(_.of).map(_.ofBytes.toLong).sum > 2 * inUse.map(_.size.toLong).sum
  }

  private def held: Set[Carried] = bases.valuesIterator.map(_.at.of).toSet ++ changes.valuesIterator.map(_.of)

  private def forget(): Unit = {
    bases = Map.empty
    changes = Map.empty
  }
}

private object TaskPlanner {
  private type Encoded = Vector[(Int, Array[Byte])]

  /** The minimum encoded size of an open part, in bytes: its numbers need as much. */
  private final val LeastBytes = 100

  /** The parts of a slot when last sent in full.
    *
    * @param changesSent the bytes of changes sent with later epochs
    */
  private final class Base(parts: Vector[Open], val at: TaskPlans.Slice, changesSent: Long) {

    /** Returns the changes, empty if there are none; `None` if the parts must be sent in full. */
    def changedTo(now: Vector[Open]): Option[Array[Byte]] = {
      val left = at.size - changesSent
      val most = left * parts.size / at.size // assumes parts as long as in the base
      PartChanges.between(parts, now, tooMany = most).filter(_.length <= left)
    }

    def sending(changes: Array[Byte]): Base = new Base(parts, at, changesSent + changes.length)
  }
}
