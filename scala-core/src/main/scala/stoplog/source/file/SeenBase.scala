// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel.MapMode
import java.util.BitSet

import stoplog.thread.SharedMemory.UnnamedFile

/** Files by the hashes of their paths, sorted, in an unnamed file that is mapped into memory. An entry has 24
  * bytes, or 32 bytes with a mark. The heap holds one bit for each entry, and four more bytes for each entry
  * with a mark.
  */
private[file] final class SeenBase private (pages: Array[ByteBuffer], val size: Int, val width: SeenWidth) {
  private var found = new BitSet()

  /** Returns the index of the file, or -1. Interpolation search: hashes are evenly distributed, so few probes
    * are needed.
    */
  def find(hash: PathHash): Int = {
    var low  = 0
    var high = size - 1
    while (low <= high) {
      val middle = low + ((high - low) * share(hash, low, high)).toInt
      val order  = hash.compare(hashAt(middle))
      if (order == 0) return middle
      if (order < 0) high = middle - 1 else low = middle + 1
    }
    -1
  }

  def identity(place: Int): FileIdentity =
    SeenTable.SeenEntry.identity(long(place, 1), long(place, 2), mark(place))

  /** The entries by their ids. */
  lazy val ids: IdIndex = IdIndex.of(Iterator.range(0, size))(mark(_).id)

  def hashAt(place: Int): PathHash = PathHash(long(place, 0), (long(place, 1) >>> 32).toInt)

  /** Starts a listing. */
  def beginListing(): Unit = found = new BitSet()

  /** Called when the listing has found the entry. */
  def markFound(place: Int): Unit = found.set(place)

  /** The entries not found by the listing so far. */
  def unsighted: Iterator[SeenTable.SeenEntry] =
    Iterator
      .iterate(found.nextClearBit(0))(place => found.nextClearBit(place + 1))
      .takeWhile(_ < size)
      .map(entry)

  /** The size of the entries in bytes. */
  def bytes: Long = size.toLong * width.bytes

  def entries: Iterator[SeenTable.SeenEntry] = Iterator.range(0, size).map(entry)

  private def mark(place: Int): FileMark = width match {
    case SeenWidth.Plain  => FileMark.Unknown
    case SeenWidth.Marked => FileMark(long(place, 3))
  }

  private def entry(place: Int): SeenTable.SeenEntry =
    SeenTable.SeenEntry(hashAt(place), Some(identity(place)))

  /** Returns the expected position of the hash between two indexes, from 0 to 1, if the hashes are evenly
    * distributed.
    */
  private def share(hash: PathHash, low: Int, high: Int): Double = {
    val (first, last) = (unsigned(long(low, 0)), unsigned(long(high, 0)))
    if (last <= first) 0.5 else ((unsigned(hash.high) - first) / (last - first)).max(0.0).min(1.0)
  }

  private def unsigned(value: Long): Double = (value >>> 1).toDouble

  private def long(place: Int, index: Int): Long =
    pages(place / SeenBase.PageEntries)
      .getLong(place % SeenBase.PageEntries * width.bytes + 8 * index)
}

private[file] object SeenBase {

  val empty: SeenBase = new SeenBase(Array.empty, 0, SeenWidth.Plain)

  /** @param entries sorted by hash, each with an identity */
  def of(entries: Iterator[SeenTable.SeenEntry], width: SeenWidth): SeenBase = fill(width) { out =>
    var count = 0
    entries.foreach { entry =>
      write(entry, width, out)
      count += 1
    }
    count
  }

  /** Reads the bytes written by [[writeTo]]. */
  def read(in: DataInput, count: Int, width: SeenWidth): SeenBase = fill(width) { out =>
    val buffer = new Array[Byte](width.bytes)
    for (_ <- 0 until count) {
      in.readFully(buffer)
      out.write(buffer)
    }
    count
  }

  def writeTo(base: SeenBase, out: DataOutput): Unit = base.entries.foreach(write(_, base.width, out))

  private def write(entry: SeenTable.SeenEntry, width: SeenWidth, out: DataOutput): Unit =
    entry.identity.foreach { identity =>
      val (first, second, third) = SeenTable.SeenEntry.pack(entry.hash, identity)
      out.writeLong(first)
      out.writeLong(second)
      out.writeLong(third)
      if (width == SeenWidth.Marked) out.writeLong(identity.mark.bits)
    }

  private def fill(width: SeenWidth)(write: DataOutputStream => Int): SeenBase = {
    val file = UnnamedFile.open("stoplog-seen")
    try {
      val out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(file.getFD), BufferBytes))
      val count = write(out)
      out.flush()
      val pages = for (first <- 0 until count by PageEntries) yield {
        val entries = PageEntries.min(count - first)
        file.getChannel
          .map(
            MapMode.READ_ONLY,
            first.toLong * width.bytes,
            entries.toLong * width.bytes
          )
          .order(ByteOrder.BIG_ENDIAN)
      }
      new SeenBase(pages.toArray, count, width)
    } finally file.close()
  }

  private final val PageEntries = 32 << 20 // a page has less than 2 GiB
  private final val BufferBytes = 64 * 1024
}
