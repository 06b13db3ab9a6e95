// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.Open

/** Which task goes on with which open part.
  *
  * Parts are matched by bucket; the slot is only a preference, because adaptive execution may change the number of
  * tasks with every epoch. A bucket that has more open parts than there are tasks gives some tasks several of them:
  * a task goes on with the first and takes the next one when that is full, so that a shrinking number of tasks
  * closes nothing early.
  */
private[commit] object PartAssignment {

  def assign(open: Vector[Open], slots: Int): Map[Int, Vector[Open]] =
    open.groupBy(_.bucket).values.toVector.flatMap(assignBucket(_, slots)).groupMap(_._1)(_._2)

  /** Former slots first; a part that lost its slot goes to the task with the fewest parts of this bucket. */
  private def assignBucket(parts: Vector[Open], slots: Int): Vector[(Int, Open)] = {
    val (kept, displaced) = parts.partition(_.slot < slots)
    val load              = Array.fill(if (displaced.isEmpty) 0 else slots)(0)
    if (displaced.nonEmpty) kept.foreach(part => load(part.slot) += 1)
    val moved = displaced.map { part =>
      val slot = load.indexOf(load.min)
      load(slot) += 1
      slot -> part
    }
    kept.map(part => part.slot -> part) ++ moved
  }
}
