// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/** Gives rows of one key that are written with one time a few microseconds more each, in the order in which they come:
  * of two cells with the same timestamp Cassandra keeps the larger value, whichever came last.
  *
  * The n-th row of a key has the tick n - 1, whatever rows of other keys come between: two attempts of a task may see these in
  * another order, and what the late one writes must not lose against what it writes anew. So each key is counted by
  * itself, for 10 to 13 bytes: by 72 bits of its hash, which two of 10 million keys share once in a hundred million tasks. The keys
  * beyond `mostKeys` are not remembered, and are counted together by their hash alone.
  */
private[cassandra] final class KeyTicks(mostKeys: Long = KeyTicks.MostKeys) {
  import KeyTicks._

  // Open addressing in many small tables: only one of them is there twice while it grows. An entry is a hash, whose last
  // four bits are the rows of the key so far; 0 is free.
  private[this] val tables = Array.fill(Tables)(NoTable)
  private[this] val sizes  = new Array[Int](Tables)
  private[this] var keys   = 0L

  // From the 15th row on; and of the keys that are not remembered.
  private[this] val many        = mutable.LongMap.empty[Int]
  private[this] lazy val beyond = new Array[Int](Tables)

  private[this] var highest = 0

  /** Microseconds to add, from 0 on. */
  def next(key: KeyHash): Int = {
    val tick = counted(key)
    highest = highest.max(tick)
    tick
  }

  def most: Int = highest

  private def counted(key: KeyHash): Int = {
    val number = key.second.toInt & (Tables - 1)
    val print  = if ((key.first & PrintMask) == 0) PrintMask else key.first & PrintMask
    val at     = find(tables(number), print)
    if (at < 0)
      if (keys < mostKeys) {
        add(number, print)
        0
      } else {
        val tick = beyond(number)
        beyond(number) = tick + 1
        tick
      }
    else {
      val table = tables(number)
      val rows  = (table(at) & RowsMask).toInt
      if (rows < RowsMask) {
        table(at) += 1
        rows
      } else {
        val id   = print | (number & RowsMask)
        val tick = many.getOrElse(id, rows)
        many.update(id, tick + 1)
        tick
      }
    }
  }

  private def add(number: Int, print: Long): Unit = {
    val old = tables(number)
    if (sizes(number) >= old.length - old.length / 5) {
      val grown = new Array[Long](old.length + (old.length / 4).max(8))
      old.foreach(entry => if (entry != 0) put(grown, entry))
      tables(number) = grown
    }
    put(tables(number), print + 1)
    sizes(number) += 1
    keys += 1
  }

  private def put(table: Array[Long], entry: Long): Unit = table(-1 - find(table, entry & PrintMask)) = entry

  /** Where the entry is, or if there is none, -1 - the place for it. */
  private def find(table: Array[Long], print: Long): Int = {
    var at = (((print >>> 32) * table.length) >>> 32).toInt
    while (at < table.length && table(at) != 0 && (table(at) & PrintMask) != print) {
      at += 1
      if (at == table.length) at = 0
    }
    if (at < table.length && table(at) != 0) at else -1 - at
  }
}

private[cassandra] object KeyTicks {

  /** 130 MB in a task. */
  final val MostKeys = 10000000L

  private final val Tables    = 1 << 12
  private final val RowsMask  = 15L
  private final val PrintMask = ~RowsMask
  private val NoTable         = Array.empty[Long]
}

/** A hash of all values of a key, in 128 bits. Used by one thread, for one row after the other. */
private[cassandra] final class KeyHash {
  private[this] var one = 0L
  private[this] var two = 0L

  def first: Long  = one
  def second: Long = two

  def clear(): Unit = {
    one = KeyHash.FirstSeed
    two = KeyHash.SecondSeed
  }

  /** The next value of the key. */
  def add(value: ByteBuffer): Unit =
    if (value.hasArray) add(value.array, value.arrayOffset + value.position(), value.remaining)
    else {
      val bytes = new Array[Byte](value.remaining)
      value.duplicate().get(bytes)
      add(bytes, 0, bytes.length)
    }

  private def add(bytes: Array[Byte], from: Int, length: Int): Unit = {
    one = XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + from, length, one)
    two = XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + from, length, two)
  }
}

private object KeyHash {
  final val FirstSeed  = 42L
  final val SecondSeed = 0x9e3779b97f4a7c15L
}
