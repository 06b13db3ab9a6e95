// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/** Increments the timestamp of rows with the same key and time by one microsecond each, in the order of
  * arrival: of two cells with the same timestamp Cassandra keeps the larger value, regardless of the order of
  * the writes.
  *
  * The n-th row of a key has the tick n - 1, regardless of rows with other keys. Two attempts of a task may
  * receive rows of different keys in another order, and a late write must not lose against a repeated write.
  * Therefore each key is counted separately, in 10 to 13 bytes, by 72 bits of its hash. Of 10 million keys,
  * two keys share these bits once in a hundred million tasks. Keys beyond `mostKeys` are not stored, and are
  * counted together by a part of their hash.
  */
private[cassandra] final class KeyTicks(mostKeys: Long = KeyTicks.MostKeys) {
  import KeyTicks._

  // Open addressing in many small tables: only one table is duplicated at a time, when the table grows. An
  // entry is a hash, whose last four bits are the number of the key's rows so far; 0 is a free entry.
  private[this] val tables = Array.fill(Tables)(NoTable)
  private[this] val sizes  = new Array[Int](Tables)
  private[this] var keys   = 0L

  // For the 15th and later rows of a key; and for keys that are not stored.
  private[this] val many        = mutable.LongMap.empty[Int]
  private[this] lazy val beyond = new Array[Int](Tables)

  private[this] var highest = 0

  /** Returns the microseconds to add, from 0. */
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

  /** Returns the index of the entry, or -1 - the index of the free slot. */
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

/** A 128-bit hash of all values of a key. Used by one thread, for one row at a time. */
private[cassandra] final class KeyHash {
  private[this] var one = 0L
  private[this] var two = 0L

  def first: Long  = one
  def second: Long = two

  def print: KeyPrint = KeyPrint(one, two)

  def clear(): Unit = {
    one = KeyHash.FirstSeed
    two = KeyHash.SecondSeed
  }

  /** Adds the next value of the key. */
  def add(value: ByteBuffer): Unit =
    if (value.hasArray) add(value.array, value.arrayOffset + value.position(), value.remaining)
    else {
      val bytes = new Array[Byte](value.remaining)
      value.duplicate().get(bytes)
      add(bytes, 0, bytes.length)
    }

  /** Adds a value with its position, so that a missing value is not the same as the next value. */
  def add(position: Int, value: ByteBuffer): Unit = {
    one = one * 31 + position
    two = two * 31 + position
    add(value)
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
