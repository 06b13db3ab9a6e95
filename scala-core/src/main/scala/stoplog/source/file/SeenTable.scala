// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** Files by the hashes of their paths: the entries since the last [[SeenBase]]. An entry has 24 bytes, or 32
  * bytes with a mark.
  *
  * Open addressing in one array of longs. Entries are never removed: a forgotten entry is marked as gone.
  */
private[file] final class SeenTable(width: SeenWidth = SeenWidth.Plain) {
  import SeenTable.SeenEntry

  private val longs  = width.longs
  private var slots  = new Array[Long](SeenTable.FirstSlots * longs)
  private var marks  = new Array[Byte](SeenTable.FirstSlots)
  private var filled = 0

  /** The number of entries, including entries that are gone. */
  def size: Int = filled

  /** Returns the slot of a file, or -1. */
  def find(hash: PathHash): Int = {
    val slot = probe(hash)
    if (isEmpty(slot) || marks(slot) == SeenTable.Gone) -1 else slot
  }

  def identity(slot: Int): FileIdentity =
    SeenEntry.identity(slots(longs * slot + 1), slots(longs * slot + 2), mark(slot))

  /** Returns the slots of the present files by their ids, valid until the next change of the table. */
  def ids(): IdIndex = IdIndex.of(
    marks.indices.iterator.filter(slot => !isEmpty(slot) && marks(slot) != SeenTable.Gone)
  )(mark(_).id)

  def put(hash: PathHash, identity: FileIdentity): Unit = {
    if (2 * (filled + 1) > marks.length) grow()
    val slot = probe(hash)
    if (isEmpty(slot)) filled += 1
    val packed = SeenEntry.pack(hash, identity)
    slots(longs * slot) = packed._1
    slots(longs * slot + 1) = packed._2
    slots(longs * slot + 2) = packed._3
    if (width == SeenWidth.Marked) slots(longs * slot + 3) = identity.mark.bits
    marks(slot) = SeenTable.Found
  }

  /** Forgets the file, including the entry in an older [[SeenBase]]. */
  def forget(hash: PathHash): Unit = {
    put(hash, FileIdentity(0, 0))
    marks(probe(hash)) = SeenTable.Gone
  }

  /** Whether the table has an entry for the hash, present or gone. */
  def knows(hash: PathHash): Boolean = !isEmpty(probe(hash))

  /** Whether the file was forgotten and not put again. */
  def isGone(hash: PathHash): Boolean = {
    val slot = probe(hash)
    !isEmpty(slot) && marks(slot) == SeenTable.Gone
  }

  /** Starts a listing. */
  def beginListing(): Unit =
    foreachSlot(slot => if (marks(slot) == SeenTable.Found) marks(slot) = SeenTable.Unsighted)

  /** Called when the listing has found the entry. */
  def markFound(slot: Int): Unit = marks(slot) = SeenTable.Found

  /** The entries not found by the listing so far. */
  def unsighted: Iterator[SeenEntry] = entries(_ == SeenTable.Unsighted)

  /** The entries that are not gone. */
  def present: Iterator[SeenEntry] = entries(_ != SeenTable.Gone)

  /** Returns all entries, sorted by hash. Entries that are gone have no identity. */
  def sorted(): Vector[SeenEntry] = entries(_ => true).toVector.sortBy(_.hash)

  private def entries(isWanted: Byte => Boolean): Iterator[SeenEntry] =
    marks.indices.iterator.filter(slot => !isEmpty(slot) && isWanted(marks(slot))).map { slot =>
      SeenEntry(hashAt(slot), Option.when(marks(slot) != SeenTable.Gone)(identity(slot)))
    }

  private def mark(slot: Int): FileMark = width match {
    case SeenWidth.Plain  => FileMark.Unknown
    case SeenWidth.Marked => FileMark(slots(longs * slot + 3))
  }

  private def hashAt(slot: Int): PathHash =
    PathHash(slots(longs * slot), (slots(longs * slot + 1) >>> 32).toInt)

  private def isEmpty(slot: Int): Boolean = marks(slot) == SeenTable.Empty

  /** Returns the slot of the hash, or the empty slot where the hash would be stored. */
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
  private final val FirstSlots = 1024

  // States of a slot.
  private final val Empty: Byte     = 0
  private final val Found: Byte     = 1
  private final val Unsighted: Byte = 2
  private final val Gone: Byte      = 3

  /** @param identity `None` for a file that is gone */
  private[file] final case class SeenEntry(hash: PathHash, identity: Option[FileIdentity]) {

    /** Returns the directory, or `None` if the entry is a file. */
    def directory: Option[SeenDirectory] = identity.flatMap(SeenDirectory.unapply)
  }

  /** Packs an entry into three longs: 96 bits of hash, 48 of length, 48 of time. A mark is a fourth long. */
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

/** A directory among the entries: its tag, and the number by which the storage identifies the directory
  * across runs.
  *
  * @param file     `None` if the storage has no such numbers
  * @param isReplaced whether another directory has had this path since, and files of the other directory may
  *   have been read
  */
private[file] final case class SeenDirectory(tag: Int, file: Option[Long], isReplaced: Boolean = false) {

  /** Uses the 96 bits of a file's length and time. The highest of the 48 bits of a length marks a directory:
    * no file is as long.
    */
  def packed: FileIdentity = {
    val number = file.getOrElse(0L)
    val marks  = SeenDirectory.Mark |
      (if (file.isDefined) SeenDirectory.HasNumber else 0L) |
      (if (isReplaced) SeenDirectory.IsReplaced else 0L)
    FileIdentity(marks | (tag.toLong << 16) | (number >>> 48), (number << 16) >> 16)
  }
}

private[file] object SeenDirectory {
  def unapply(identity: FileIdentity): Option[SeenDirectory] = Option.when((identity.bytes & Mark) != 0) {
    val number = (identity.bytes << 48) | (identity.modifiedMillis & 0xffffffffffffL)
    SeenDirectory(
      ((identity.bytes >>> 16) & 0xffff).toInt,
      Option.when((identity.bytes & HasNumber) != 0)(number),
      (identity.bytes & IsReplaced) != 0
    )
  }

  private final val Mark       = 1L << 47
  private final val HasNumber  = 1L << 46
  private final val IsReplaced = 1L << 45
}
