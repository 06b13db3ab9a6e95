// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.RecordCodec
import stoplog.part.Open

/** Sends the plans of one run, from epoch to epoch.
  *
  * A large plan has a base for each task: its parts as they were in an earlier epoch, which the engine still has for the task.
  * With an epoch goes only what has changed since. When the changes that went with epochs have come to as many bytes as the
  * base, the parts are sent anew. So what is sent follows what is written to, and not the number of open parts.
  *
  * @param inlineBytes what an engine sends with a task without a second thought: Spark warns of 1,000 KiB
  * @param pieceBytes  so many go through the engine together, or as many as one task has: each costs it a message or two
  */
private[stoplog] final class TaskPlanner(inlineBytes: Long = 768L << 10, pieceBytes: Int = 256 << 10) {
  import TaskPlanner._
  import TaskPlans.{Carried, Slice}

  private[this] var bases   = Map.empty[Int, Base]  // by slot, as the following
  private[this] var changes = Map.empty[Int, Slice] // for the newest epoch alone

  /** The plan of the next epoch. What only tasks of earlier epochs can ask for is closed.
    *
    * @param carry brings bytes to the tasks that ask for them. Not called for a plan that is small
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

  /** No epoch follows. */
  def close(): Unit = synchronized {
    val before = held
    forget()
    before.foreach(_.close())
  }

  /** All slots' bytes, unless they are more than may go with the object that all tasks get. */
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

  /** The places of all entries; neighbours lie together. */
  private def carried(entries: Encoded, carry: Array[Byte] => Carried): Map[Int, Slice] = {
    val pieces = Vector.unfold(entries) { left =>
      val sizes = left.iterator.map(_._2.length.toLong).scanLeft(0L)(_ + _).drop(1)
      Option.when(left.nonEmpty)(left.splitAt(sizes.takeWhile(_ <= pieceBytes).size.max(1)))
    }
    pieces.flatMap(TaskPlans.slices(_, carry)).toMap
  }

  /** What was carried together stays as long as one slot has its base there. */
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

  /** No open part is encoded in fewer bytes: its numbers alone have as many. */
  private final val LeastBytes = 100

  /** The parts that a slot was handed when they were last sent as a whole.
    *
    * @param changesSent bytes that went with the epochs since
    */
  private final class Base(parts: Vector[Open], val at: TaskPlans.Slice, changesSent: Long) {

    /** The changes, empty if there are none; `None` if the parts are to be sent anew. */
    def changedTo(now: Vector[Open]): Option[Array[Byte]] = {
      val left = at.size - changesSent
      val most = left * parts.size / at.size // if they are as long as those of the base
      PartChanges.between(parts, now, tooMany = most).filter(_.length <= left)
    }

    def sending(changes: Array[Byte]): Base = new Base(parts, at, changesSent + changes.length)
  }
}
