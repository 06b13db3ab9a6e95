package stoplog.commit

import stoplog.part.Open

/** Which task goes on with which open part.
  *
  * Parts are matched by bucket; the slot is only a preference, because adaptive execution may change the number of
  * tasks with every epoch. A part that finds no task is left over, and the driver closes it.
  */
private[commit] object Handout {

  final case class Assigned(bySlot: Map[Int, Vector[Open]], leftOver: Vector[Open])

  def assign(open: Vector[Open], slots: Int): Assigned = {
    val perBucket = open.groupBy(_.bucket).values.map(assignBucket(_, slots)).toVector
    Assigned(
      perBucket.flatMap(_._1).groupMap(_._1)(_._2),
      perBucket.flatMap(_._2)
    )
  }

  /** Former slots first; whoever lost its slot takes one that has no part of this bucket. */
  private def assignBucket(parts: Vector[Open], slots: Int): (Vector[(Int, Open)], Vector[Open]) = {
    val (kept, displaced) = parts.foldLeft((Map.empty[Int, Open], Vector.empty[Open])) {
      case ((taken, others), part) =>
        if (part.slot < slots && !taken.contains(part.slot)) (taken + (part.slot -> part), others)
        else (taken, others :+ part)
    }
    val free  = if (displaced.isEmpty) Iterator.empty else (0 until slots).iterator.filterNot(kept.contains)
    val moved = free.zip(displaced.iterator).toVector
    (kept.toVector ++ moved, displaced.drop(moved.size))
  }
}
