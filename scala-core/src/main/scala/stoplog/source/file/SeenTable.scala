// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** Files by the hashes of their paths, in 24 bytes each: what was remembered since the last [[SeenBase]].
  *
  * Open addressing in one array of longs. An entry is never taken out, only marked as gone, until the table is cleared.
  */
private[file] final class SeenTable {
  private var slots  = new Array[Long](SeenTable.FirstSlots * 3)
  private var marks  = new Array[Byte](SeenTable.FirstSlots)
  private var filled = 0

  /** How many entries there are, with those that are gone. */
  def size: Int = filled

  /** The slot of a file, or -1. */
  def find(hash: PathHash): Int = {
    val slot = probe(hash)
    if (isEmpty(slot) || marks(slot) == SeenTable.Gone) -1 else slot
  }

  def identity(slot: Int): FileIdentity = SeenEntry.identity(slots(3 * slot + 1), slots(3 * slot + 2))

  def put(hash: PathHash, identity: FileIdentity): Unit = {
    if (2 * (filled + 1) > marks.length) grow()
    val slot = probe(hash)
    if (isEmpty(slot)) filled += 1
    val packed = SeenEntry.pack(hash, identity)
    slots(3 * slot) = packed._1
    slots(3 * slot + 1) = packed._2
    slots(3 * slot + 2) = packed._3
    marks(slot) = SeenTable.Sighted
  }

  /** Nobody knows of the file any more. What an older [[SeenBase]] says of it counts no longer either. */
  def forget(hash: PathHash): Unit = {
    put(hash, FileIdentity(0, 0))
    marks(probe(hash)) = SeenTable.Gone
  }

  /** Whether anything was said of it: that it is there, or that it is gone. */
  def knows(hash: PathHash): Boolean = !isEmpty(probe(hash))

  /** Whether [[forget]] was the last that was said of it. */
  def isGone(hash: PathHash): Boolean = {
    val slot = probe(hash)
    !isEmpty(slot) && marks(slot) == SeenTable.Gone
  }

  /** Those of which [[forget]] was the last that was said. */
  def gone(): Vector[PathHash] = {
    val all = Vector.newBuilder[PathHash]
    foreachSlot(slot => if (marks(slot) == SeenTable.Gone) all += hashAt(slot))
    all.result()
  }

  /** Whether or not they were missed so far, all are there. */
  def trustAll(): Unit =
    foreachSlot(slot => if (marks(slot) != SeenTable.Gone) marks(slot) = SeenTable.Sighted)

  /** The file is there. */
  def sighted(slot: Int): Unit = marks(slot) = SeenTable.Sighted

  /** Begins to look who is there. */
  def beginListing(): Unit = foreachSlot { slot =>
    if (marks(slot) == SeenTable.Sighted) marks(slot) = SeenTable.Unsighted
    else if (marks(slot) == SeenTable.Unsighted) marks(slot) = SeenTable.MissedOnce
  }

  /** Those that were missing in two listings, one after the other. */
  def missing(): Vector[PathHash] = {
    val all = Vector.newBuilder[PathHash]
    foreachSlot(slot => if (marks(slot) == SeenTable.MissedOnce) all += hashAt(slot))
    all.result()
  }

  /** The entries in the order of their hashes; none of a file that is gone has an identity. */
  def sorted(): Vector[SeenEntry] = {
    val all = Vector.newBuilder[SeenEntry]
    foreachSlot { slot =>
      val known = Option.when(marks(slot) != SeenTable.Gone)(identity(slot))
      all += SeenEntry(hashAt(slot), known)
    }
    all.result().sortBy(_.hash)
  }

  private def hashAt(slot: Int): PathHash = PathHash(slots(3 * slot), (slots(3 * slot + 1) >>> 32).toInt)

  private def isEmpty(slot: Int): Boolean = marks(slot) == SeenTable.Empty

  /** The slot that the file has, or would get. */
  private def probe(hash: PathHash): Int = {
    val mask = marks.length - 1
    var slot = hash.high.toInt & mask
    while (
      !isEmpty(slot) &&
      (slots(3 * slot) != hash.high || (slots(3 * slot + 1) >>> 32).toInt != hash.low)
    ) slot = (slot + 1) & mask
    slot
  }

  private def foreachSlot(action: Int => Unit): Unit = {
    var slot = 0
    while (slot < marks.length) {
      if (!isEmpty(slot)) action(slot)
      slot += 1
    }
  }

  private def grow(): Unit = {
    val (oldSlots, oldMarks) = (slots, marks)
    slots = new Array[Long](oldSlots.length * 2)
    marks = new Array[Byte](oldMarks.length * 2)
    for (old <- oldMarks.indices if oldMarks(old) != SeenTable.Empty) {
      val slot = probe(PathHash(oldSlots(3 * old), (oldSlots(3 * old + 1) >>> 32).toInt))
      System.arraycopy(oldSlots, 3 * old, slots, 3 * slot, 3)
      marks(slot) = oldMarks(old)
    }
  }
}

private object SeenTable {
  final val FirstSlots = 1024

  // Of a slot.
  final val Empty: Byte      = 0
  final val Sighted: Byte    = 1
  final val Unsighted: Byte  = 2
  final val MissedOnce: Byte = 3
  final val Gone: Byte       = 4
}
