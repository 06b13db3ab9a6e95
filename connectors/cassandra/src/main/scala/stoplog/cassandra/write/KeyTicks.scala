// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

/** Gives rows of one key that are written with one time a few microseconds more each, in the order in which they come:
  * of two cells with the same timestamp Cassandra keeps the larger value, whichever came last.
  *
  * Exact without knowing the keys: a row counts the earlier rows of its slot, which all rows of its key share.
  */
private[cassandra] final class KeyTicks {
  private val counts  = new Array[Int](KeyTicks.Slots)
  private var highest = 0

  /** Microseconds to add, from 0 on. */
  def next(keyHash: Int): Int = {
    val slot = (keyHash * KeyTicks.Spread) >>> KeyTicks.Shift
    val tick = counts(slot)
    counts(slot) = tick + 1
    highest = highest.max(tick)
    tick
  }

  def most: Int = highest
}

private object KeyTicks {
  final val Bits   = 16
  final val Slots  = 1 << Bits
  final val Shift  = 32 - Bits
  final val Spread = 0x9e3779b9
}
