// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.collection.mutable

/** Files by the hashes of their paths, in 24 bytes each, or 32 with marks: what was remembered since the last [[SeenBase]].
  *
  * Open addressing in one array of longs. An entry is never taken out, only marked as gone, until the table is cleared.
  */
private[file] final class SeenTable(width: SeenWidth = SeenWidth.Plain) {
  import SeenTable.SeenEntry

  private val longs  = width.longs
  private var slots  = new Array[Long](SeenTable.FirstSlots * longs)
  private var marks  = new Array[Byte](SeenTable.FirstSlots)
  private var filled = 0

  /** The number of entries, with those that are gone. */
  def size: Int = filled

  /** The slot of a file, or -1. */
  def find(hash: PathHash): Int = {
    val slot = probe(hash)
    if (isEmpty(slot) || marks(slot) == SeenTable.Gone) -1 else slot
  }

  def identity(slot: Int): FileIdentity =
    SeenEntry.identity(slots(longs * slot + 1), slots(longs * slot + 2), mark(slot))

  /** The halves of the ids of all files, in order. */
  def ids(): Array[Int] = {
    val all = mutable.ArrayBuilder.make[Int]
    foreachSlot(slot => all += mark(slot).id)
    val sorted = all.result()
    java.util.Arrays.sort(sorted)
    sorted
  }

  def put(hash: PathHash, identity: FileIdentity): Unit = {
    if (2 * (filled + 1) > marks.length) grow()
    val slot = probe(hash)
    if (isEmpty(slot)) filled += 1
    val packed = SeenEntry.pack(hash, identity)
    slots(longs * slot) = packed._1
    slots(longs * slot + 1) = packed._2
    slots(longs * slot + 2) = packed._3
    if (width == SeenWidth.Marked) slots(longs * slot + 3) = identity.mark.bits
    marks(slot) = SeenTable.Sighted
  }

  /** Forgets the file. The entry of an older [[SeenBase]] counts no longer either. */
  def forget(hash: PathHash): Unit = {
    put(hash, FileIdentity(0, 0))
    marks(probe(hash)) = SeenTable.Gone
  }

  /** Whether anything was said of it: that it is there, or that it is gone. */
  def knows(hash: PathHash): Boolean = !isEmpty(probe(hash))

  /** Whether the file was forgotten, and not put again. */
  def isGone(hash: PathHash): Boolean = {
    val slot = probe(hash)
    !isEmpty(slot) && marks(slot) == SeenTable.Gone
  }

  /** Files that were forgotten, and not put again. */
  def gone(): Vector[PathHash] = marked(SeenTable.Gone)

  /** Whether or not they were missed so far, all are there. */
  def trustAll(): Unit =
    foreachSlot(slot => if (marks(slot) != SeenTable.Gone) marks(slot) = SeenTable.Sighted)

  /** The file is there. */
  def sighted(slot: Int): Unit = marks(slot) = SeenTable.Sighted

  /** The last listing did not find it. */
  def missed(slot: Int): Unit = marks(slot) = SeenTable.Unsighted

  /** Begins a listing. */
  def beginListing(): Unit = foreachSlot { slot =>
    if (marks(slot) == SeenTable.Sighted) marks(slot) = SeenTable.Unsighted
    else if (marks(slot) == SeenTable.Unsighted) marks(slot) = SeenTable.MissedOnce
  }

  /** Those that the last listing did not find, and the one before did. */
  def missedOnce(): Vector[PathHash] = marked(SeenTable.Unsighted)

  /** Those that were missing in two listings, one after the other. */
  def missing(): Vector[PathHash] = marked(SeenTable.MissedOnce)

  /** The entries in the order of their hashes; none of a file that is gone has an identity. */
  def sorted(): Vector[SeenEntry] = {
    val all = Vector.newBuilder[SeenEntry]
    foreachSlot { slot =>
      val known = Option.when(marks(slot) != SeenTable.Gone)(identity(slot))
      all += SeenEntry(hashAt(slot), known)
    }
    all.result().sortBy(_.hash)
  }

  private def mark(slot: Int): FileMark = width match {
    case SeenWidth.Plain  => FileMark.Unknown
    case SeenWidth.Marked => FileMark(slots(longs * slot + 3))
  }

  private def marked(mark: Byte): Vector[PathHash] = {
    val all = Vector.newBuilder[PathHash]
    foreachSlot(slot => if (marks(slot) == mark) all += hashAt(slot))
    all.result()
  }

  private def hashAt(slot: Int): PathHash =
    PathHash(slots(longs * slot), (slots(longs * slot + 1) >>> 32).toInt)

  private def isEmpty(slot: Int): Boolean = marks(slot) == SeenTable.Empty

  /** The slot that the file has, or would get. */
  private def probe(hash: PathHash): Int = {
    val mask = marks.length - 1
    var slot = hash.high.toInt & mask
    while (
      !isEmpty(slot) &&
      (slots(longs * slot) != hash.high || (slots(longs * slot + 1) >>> 32).toInt != hash.low)
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
      val slot = probe(PathHash(oldSlots(longs * old), (oldSlots(longs * old + 1) >>> 32).toInt))
      System.arraycopy(oldSlots, longs * old, slots, longs * slot, longs)
      marks(slot) = oldMarks(old)
    }
  }
}

private[file] object SeenTable {
  final val FirstSlots = 1024

  // Of a slot.
  final val Empty: Byte      = 0
  final val Sighted: Byte    = 1
  final val Unsighted: Byte  = 2
  final val MissedOnce: Byte = 3
  final val Gone: Byte       = 4

  /** @param identity none for a file that is gone */
  private[file] final case class SeenEntry(hash: PathHash, identity: Option[FileIdentity])

  /** An entry in three longs: 96 bits of hash, 48 of length, 48 of time. The mark is a fourth. */
  private[file] object SeenEntry {

    def pack(hash: PathHash, identity: FileIdentity): (Long, Long, Long) = (
      hash.high,
      (hash.low.toLong << 32) | ((identity.bytes >>> 16) & 0xffffffffL),
      (identity.bytes << 48) | (identity.modifiedMillis & 0xffffffffffffL)
    )

    def identity(second: Long, third: Long, mark: FileMark): FileIdentity =
      FileIdentity(((second & 0xffffffffL) << 16) | (third >>> 48), (third << 16) >> 16, mark)
  }
}

/** The stored hash of a path: 96 bits of its SHA-256. Among a hundred million files, the odds that any two share them
  * are one to ten trillion.
  */
private[file] final case class PathHash(high: Long, low: Int) extends Ordered[PathHash] {
  override def compare(that: PathHash): Int = {
    val byHigh = java.lang.Long.compareUnsigned(high, that.high)
    if (byHigh != 0) byHigh else Integer.compareUnsigned(low, that.low)
  }
}

private[file] object PathHash {
  def of(path: String): PathHash = {
    val bytes = ByteBuffer.wrap(digest.get().digest(path.getBytes(UTF_8)))
    PathHash(bytes.getLong(), bytes.getInt())
  }

  private val digest = ThreadLocal.withInitial[MessageDigest](() => MessageDigest.getInstance("SHA-256"))
}
