// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

/** The states that a walk has come to, each with the deviations that it had left there. */
final class VisitedStates {
  private val shards = Array.fill(VisitedStates.Shards)(new VisitedStates.Shard)

  /** Whether a walk has to go on from this state: none that had as many deviations left, of each kind, has been there. */
  def isNew(state: Long, left: Bounds): Boolean = {
    val shard = shards((state >>> 58).toInt)
    shard.synchronized(shard.isNew(state, left))
  }

  /** Whether one that had as many deviations left has been there. */
  def isKnown(state: Long, left: Bounds): Boolean = {
    val shard = shards((state >>> 58).toInt)
    shard.synchronized(shard.isKnown(state, left))
  }

  /** How many states there are. */
  def size: Long = shards.iterator.map(shard => shard.synchronized(shard.size.toLong)).sum
}

private object VisitedStates {
  val Shards = 64

  /** A table of states, and for each a bit for each number of deviations left. */
  final class Shard {
    private var states = new Array[Long](64)
    private var lefts  = new Array[Int](64)
    var size: Int      = 0

    def isNew(state: Long, left: Bounds): Boolean = {
      if (size * 3 > states.length * 2) grow()
      val at    = place(states, lefts, state)
      val isNew = (lefts(at) & bit(left.preemptions, left.crashes, left.deviations)) == 0
      if (lefts(at) == 0) size += 1
      states(at) = state
      if (isNew) lefts(at) |= below(left)
      isNew
    }

    def isKnown(state: Long, left: Bounds): Boolean =
      (lefts(place(states, lefts, state)) & bit(left.preemptions, left.crashes, left.deviations)) != 0

    private def grow(): Unit = {
      val wider = (new Array[Long](states.length * 2), new Array[Int](states.length * 2))
      states.indices.filter(lefts(_) != 0).foreach { from =>
        val to = place(wider._1, wider._2, states(from))
        wider._1(to) = states(from)
        wider._2(to) = lefts(from)
      }
      states = wider._1
      lefts = wider._2
    }
  }

  private def place(states: Array[Long], lefts: Array[Int], state: Long): Int = {
    var at = (state & (states.length - 1)).toInt
    while (lefts(at) != 0 && states(at) != state) at = (at + 1) & (states.length - 1)
    at
  }

  /** Who may do this may do all that is less. */
  private def below(left: Bounds): Int = (for {
    preemptions <- 0 to left.preemptions
    crashes     <- 0 to left.crashes
    deviations  <- 0 to left.deviations
  } yield bit(preemptions, crashes, deviations)).reduce(_ | _)

  private def bit(preemptions: Int, crashes: Int, deviations: Int): Int =
    1 << (preemptions * 8 + crashes * 4 + deviations)
}
