// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.RecordCodec
import stoplog.part.Open

/** Sends the plans of one run, from epoch to epoch.
  *
  * A large plan has a base for each task: its parts as they were in an earlier epoch, which the engine still has for the task.
  * With an epoch goes only what has changed since. When the changes that went with epochs have come to as many bytes as the
  * base, the parts are sent anew. So what is sent follows what is written to, and not the number of open parts.
  */
private[stoplog] final class TaskPlanner(limits: TaskPlanner.Limits = TaskPlanner.Limits()) {
  import TaskPlanner._
  import TaskPlans.{Carried, Place, Span}

  private[this] var bases   = Map.empty[Int, Base] // by slot
  private[this] var ofEpoch = Vector.empty[Piece]  // changes, for the newest epoch alone

  /** The plan of the next epoch. What only tasks of earlier epochs can ask for is closed.
    *
    * @param carry brings bytes to the tasks that ask for them. Not called for a plan that is small
    */
  def next(plan: EpochPlan, carry: Array[Byte] => Carried): TaskPlans = synchronized {
    val before = held
    val plans  = small(plan) match {
      case Some(entries) =>
        forget()
        TaskPlans.ofEntries(plan, entries)
      case None => large(plan, carry)
    }
    (before -- held).foreach(_.carried.close())
    plans
  }

  /** No epoch follows. */
  def close(): Unit = synchronized {
    val before = held
    forget()
    before.foreach(_.carried.close())
  }

  /** All slots' bytes, if they may go with the object that all tasks get. */
  private def small(plan: EpochPlan): Option[Entries] = {
    var bytes   = 0L
    val entries = plan.handed.iterator
      .map { case (slot, parts) => slot -> RecordCodec.encodeOpen(parts) }
      .takeWhile { entry =>
        bytes += entry._2.length
        bytes <= limits.inlineBytes
      }
      .toVector
    Option.when(entries.size == plan.handed.size)(entries)
  }

  private def large(plan: EpochPlan, carry: Array[Byte] => Carried): TaskPlans = {
    if (isMostlyUnused) bases = Map.empty
    val changes = for {
      (slot, parts) <- plan.handed
      base          <- bases.get(slot)
      change = PartChanges.between(base.parts, parts)
      if base.changesSent + change.fold(0)(_.length) <= base.bytes
    } yield slot -> change
    val anew = plan.handed.collect {
      case (slot, parts) if !changes.contains(slot) => slot -> RecordCodec.encodeOpen(parts)
    }
    val sent = for {
      (piece, spans) <- pieces(anew)(carry)
      (slot, span)   <- spans
    } yield slot -> Base(plan.handed(slot), piece, span._1, span._2)
    bases = bases.collect {
      case (slot, base) if changes.contains(slot) => slot -> base.sending(changes(slot))
    } ++ sent

    val changed  = changes.collect { case (slot, Some(bytes)) => slot -> bytes }
    val isInline = changed.valuesIterator.map(_.length.toLong).sum <= limits.inlineBytes
    val carried  =
      pieces(changed)(bytes => if (isInline) new TaskPlans.Inline(bytes) else carry(bytes))
    ofEpoch = carried.map(_._1)

    val all   = held.toVector
    val index = all.zipWithIndex.toMap
    val spans = for {
      (piece, spans)        <- carried
      (slot, (from, until)) <- spans
    } yield slot -> Span(index(piece), from, until)
    val changedAt = spans.toMap
    val places    = bases.map { case (slot, base) =>
      slot -> Place(Span(index(base.piece), base.from, base.until), changedAt.get(slot))
    }
    new TaskPlans(plan.copy(handed = Map.empty), places, all.map(_.carried))
  }

  /** Neighbours together, as each piece costs the engine a message or two, up to so many bytes. */
  private def pieces(entries: Map[Int, Array[Byte]])(carry: Array[Byte] => Carried): Vector[(Piece, Spans)] =
    Vector.unfold(entries.toVector.sortBy(_._1)) { left =>
      Option.when(left.nonEmpty) {
        val sizes         = left.iterator.map(_._2.length.toLong).scanLeft(0L)(_ + _).drop(1)
        val (first, rest) = left.splitAt(sizes.takeWhile(_ <= limits.pieceBytes).size.max(1))
        val bytes         = Array.concat(first.map(_._2): _*)
        (new Piece(carry(bytes), bytes.length), TaskPlans.spans(first)) -> rest
      }
    }

  /** Pieces stay as long as one slot has its base there. */
  private def isMostlyUnused: Boolean = {
    val kept = bases.valuesIterator.map(_.piece).distinct.map(_.bytes.toLong).sum
    kept > 2 * bases.valuesIterator.map(_.bytes.toLong).sum
  }

  private def held: Set[Piece] = bases.valuesIterator.map(_.piece).toSet ++ ofEpoch

  private def forget(): Unit = {
    bases = Map.empty
    ofEpoch = Vector.empty
  }
}

private[stoplog] object TaskPlanner {

  /** @param inlineBytes what an engine sends with a task without a second thought: Spark warns of 1,000 KiB
    * @param pieceBytes  a piece has no more, unless one task's parts do
    */
  final case class Limits(inlineBytes: Long = 768L << 10, pieceBytes: Int = 256 << 10)

  private type Entries = Vector[(Int, Array[Byte])]
  private type Spans   = Vector[(Int, (Int, Int))]

  /** Of one or more slots. Compared by identity. */
  private final class Piece(val carried: TaskPlans.Carried, val bytes: Int)

  /** The parts that a slot was handed when they were last sent as a whole.
    *
    * @param changesSent bytes that went with the epochs since
    */
  private final case class Base(
      parts: Vector[Open],
      piece: Piece,
      from: Int,
      until: Int,
      changesSent: Long = 0
  ) {
    def bytes: Int = until - from

    def sending(changes: Option[Array[Byte]]): Base =
      changes.fold(this)(bytes => copy(changesSent = changesSent + bytes.length))
  }
}
