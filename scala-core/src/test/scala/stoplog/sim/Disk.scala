// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** The bytes of a file, whatever it is called now: who holds it open writes into it even after a rename.
  *
  * @param token the name that it was made under
  */
final class Inode(val token: String) {
  var bytes: Array[Byte]       = new Array[Byte](64)
  var length: Int              = 0
  var durable: Int             = 0
  var modifiedAtMillis: Long   = 0L
  var finished: Option[String] = None

  def text(from: Int, to: Int): String = new String(bytes, from, to - from, UTF_8)

  /** The rows in the first bytes: lines, but for the one that ends a part of blocks. */
  def rows(size: Int): Vector[String] =
    text(0, size).split('\n').toVector.map(_.trim).filterNot(line => line.isEmpty || line.startsWith("]"))
}

/** A file system in memory: names, what they point to, and who has promised to be writing. */
final class Disk(oracle: Oracle, now: () => Long) {
  val staged: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val beside: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val finished: mutable.LinkedHashMap[String, Inode]           = mutable.LinkedHashMap.empty
  val aside: mutable.LinkedHashMap[(Long, String), Inode]      = mutable.LinkedHashMap.empty
  val records: mutable.TreeMap[Long, Array[Byte]]              = mutable.TreeMap.empty
  val notes: mutable.LinkedHashMap[String, Array[Byte]]        = mutable.LinkedHashMap.empty
  val marks: mutable.Set[Long]                                 = mutable.Set.empty
  val visible: mutable.Map[Long, Set[String]]                  = mutable.Map.empty
  val leases: mutable.LinkedHashMap[(String, SimProcess), Int] = mutable.LinkedHashMap.empty
  private var made                                             = 0L

  /** A part of a name that occurs once in this world. */
  def unique(): String = {
    made += 1
    made.toString
  }

  def create(token: String): Inode = create(token, staged)

  def createBeside(token: String): Inode = create(token, beside)

  private def create(token: String, among: mutable.Map[String, Inode]): Inode = {
    val inode = new Inode(token)
    inode.modifiedAtMillis = now()
    if (among.put(token, inode).nonEmpty) throw new Violation(s"$token was made twice")
    inode
  }

  /** Writes at the writer's own position, as a file does: what another writer left there is gone. */
  def write(inode: Inode, at: Int, from: Array[Byte], offset: Int, count: Int): Unit = {
    oracle.changing(inode, at)
    val end = at + count
    if (end > inode.bytes.length) inode.bytes = java.util.Arrays.copyOf(inode.bytes, end * 2)
    if (at > inode.length) java.util.Arrays.fill(inode.bytes, inode.length, at, 0.toByte)
    System.arraycopy(from, offset, inode.bytes, at, count)
    inode.length = inode.length.max(end)
    inode.durable = inode.durable.min(at)
    inode.modifiedAtMillis = now()
  }

  def truncate(inode: Inode, size: Int): Unit = if (inode.length != size) {
    oracle.changing(inode, size)
    inode.length = size
    inode.durable = inode.durable.min(size)
    inode.modifiedAtMillis = now()
  }

  def link(inode: Inode, name: String): Unit = {
    oracle.publishing(inode, name)
    inode.finished = Some(name)
    finished.put(name, inode)
    ()
  }

  /** The power goes: what was not forced to the disk may be there, or not, or half. */
  def powerLoss(kept: Int => Int): Unit = (staged.valuesIterator ++ beside.valuesIterator).foreach { inode =>
    inode.length = inode.durable + kept(inode.length - inode.durable)
  }
}
