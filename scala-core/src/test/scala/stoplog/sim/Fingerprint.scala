// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.util.IdentityHashMap

/** 64 bits of what a value is, the same for equal values in every run. */
object Fingerprint {

  /** Of values that have parts; what it does not know, it refuses. */
  def of(value: Any): Long = value match {
    case null                                  => 1L
    case ()                                    => 2L
    case yes: Boolean                          => if (yes) 3L else 4L
    case number: Int                           => mixed(5L, number.toLong)
    case number: Long                          => mixed(6L, number)
    case text: String                          => ofText(text)
    case bytes: Array[Byte]                    => ofBytes(bytes, bytes.length)
    case None                                  => 7L
    case Some(one)                             => mixed(8L, of(one))
    case inode: Inode                          => ofInode(inode)
    case log: DiskLog                          => of((log.records, log.marks, log.notes))
    case process: SimProcess                   => of((process.name, process.alive))
    case failure: Throwable                    => of((failure.getClass.getName, failure.getMessage))
    case map: scala.collection.SortedMap[_, _] => inOrder(map)
    case map: scala.collection.mutable.LinkedHashMap[_, _] => inOrder(map)
    case map: scala.collection.Map[_, _]                   => inAnyOrder(map)
    case set: scala.collection.Set[_]                      => inAnyOrder(set)
    case more: Iterable[_]                                 => inOrder(more)
    case product: Product => inOrder(product.productPrefix +: product.productIterator.toVector)
    case other            => throw new IllegalArgumentException(s"no fingerprint of ${other.getClass}")
  }

  def mixed(first: Long, second: Long): Long = {
    var h = (first ^ java.lang.Long.rotateLeft(second, 31)) * Prime1 + second * Prime2
    h ^= h >>> 29
    h *= Prime3
    h ^ (h >>> 32)
  }

  private def inOrder(values: Iterable[Any]): Long = {
    var h = 9L
    values.foreach(value => h = mixed(h, of(value)))
    h
  }

  private def inAnyOrder(values: Iterable[Any]): Long = {
    var sum   = 0L
    var count = 0L
    values.foreach { value =>
      sum += mixed(of(value), Prime2)
      count += 1
    }
    mixed(sum, count)
  }

  private def ofText(text: String): Long = {
    var h = 10L
    var i = 0
    while (i < text.length) {
      h = (h ^ text.charAt(i)) * Prime1
      h ^= h >>> 29
      i += 1
    }
    mixed(h, text.length.toLong)
  }

  private def ofBytes(bytes: Array[Byte], length: Int): Long = {
    var h = 11L
    var i = 0
    while (i < length) {
      h = (h ^ bytes(i)) * Prime1
      h ^= h >>> 29
      i += 1
    }
    mixed(h, length.toLong)
  }

  private def ofInode(inode: Inode): Long = {
    val content = mixed(ofText(inode.token), ofBytes(inode.bytes, inode.length))
    mixed(mixed(content, inode.durable.toLong), mixed(of(inode.finished), inode.namesElsewhere.toLong))
  }

  private final val Prime1 = 0x9e3779b185ebca87L
  private final val Prime2 = 0xc2b2ae3d27d4eb4fL
  private final val Prime3 = 0x165667b19e3779f9L

  /** The fingerprints of values that never change, each made once. */
  final class Cached {
    private val known = new IdentityHashMap[AnyRef, java.lang.Long]()

    def of(value: AnyRef): Long =
      known.computeIfAbsent(value, (made: AnyRef) => Fingerprint.of(made)).longValue
  }
}
