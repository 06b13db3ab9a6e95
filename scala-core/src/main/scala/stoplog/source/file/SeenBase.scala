// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.channels.FileChannel.MapMode
import java.util.BitSet

import stoplog.thread.SharedMemory.UnnamedFile

/** Files by the hashes of their paths, sorted, in 24 bytes each of an unnamed file that is mapped into memory: the heap
  * holds one bit of each.
  */
private[file] final class SeenBase private (pages: Array[ByteBuffer], val size: Int) {
  private var sighted = new BitSet()

  /** The file's place here, or -1. Hashes are spread evenly, so a few looks find it among any number. */
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

  def identity(place: Int): FileIdentity = SeenTable.SeenEntry.identity(long(place, 1), long(place, 2))

  def hashAt(place: Int): PathHash = PathHash(long(place, 0), (long(place, 1) >>> 32).toInt)

  /** Begins a listing. */
  def beginListing(): Unit = sighted = new BitSet()

  /** The listing has found it. */
  def sighted(place: Int): Unit = sighted.set(place)

  /** The entries that the listing has not found so far. */
  def unsighted: Iterator[SeenTable.SeenEntry] =
    Iterator
      .iterate(sighted.nextClearBit(0))(place => sighted.nextClearBit(place + 1))
      .takeWhile(_ < size)
      .map(entry)

  /** The bytes of the entries. */
  def bytes: Long = size.toLong * SeenTable.SeenEntry.Bytes

  def entries: Iterator[SeenTable.SeenEntry] = Iterator.range(0, size).map(entry)

  private def entry(place: Int): SeenTable.SeenEntry =
    SeenTable.SeenEntry(hashAt(place), Some(identity(place)))

  /** The place of the hash between the two if all between them were spread evenly: from 0 to 1. */
  private def share(hash: PathHash, low: Int, high: Int): Double = {
    val (first, last) = (unsigned(long(low, 0)), unsigned(long(high, 0)))
    if (last <= first) 0.5 else ((unsigned(hash.high) - first) / (last - first)).max(0.0).min(1.0)
  }

  private def unsigned(value: Long): Double = (value >>> 1).toDouble

  private def long(place: Int, index: Int): Long =
    pages(place / SeenBase.PageEntries)
      .getLong(place % SeenBase.PageEntries * SeenTable.SeenEntry.Bytes + 8 * index)
}

private[file] object SeenBase {

  val empty: SeenBase = new SeenBase(Array.empty, 0)

  /** @param entries in the order of their hashes, each with an identity */
  def of(entries: Iterator[SeenTable.SeenEntry]): SeenBase = fill { out =>
    var count = 0
    entries.foreach { entry =>
      write(entry, out)
      count += 1
    }
    count
  }

  /** As [[writeTo]] wrote it. */
  def read(in: DataInput, count: Int): SeenBase = fill { out =>
    val buffer = new Array[Byte](SeenTable.SeenEntry.Bytes)
    for (_ <- 0 until count) {
      in.readFully(buffer)
      out.write(buffer)
    }
    count
  }

  def writeTo(base: SeenBase, out: DataOutput): Unit = base.entries.foreach(write(_, out))

  private def write(entry: SeenTable.SeenEntry, out: DataOutput): Unit = entry.identity.foreach { identity =>
    val (first, second, third) = SeenTable.SeenEntry.pack(entry.hash, identity)
    out.writeLong(first)
    out.writeLong(second)
    out.writeLong(third)
  }

  private def fill(write: DataOutputStream => Int): SeenBase = {
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
            first.toLong * SeenTable.SeenEntry.Bytes,
            entries.toLong * SeenTable.SeenEntry.Bytes
          )
          .order(ByteOrder.BIG_ENDIAN)
      }
      new SeenBase(pages.toArray, count)
    } finally file.close()
  }

  private final val PageEntries = 64 << 20
  private final val BufferBytes = 64 * 1024
}
