// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

/** A file system in memory: names, what they point to, and who has promised to be writing. */
final class Disk(oracle: Oracle, now: () => Long, takes: PowerTakes) {
  val names: Names = new Names(takes)

  val staged: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val beside: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val finished: mutable.LinkedHashMap[String, Inode]           = mutable.LinkedHashMap.empty
  val aside: mutable.LinkedHashMap[Aside, Inode]               = mutable.LinkedHashMap.empty
  val logs: mutable.LinkedHashMap[String, DiskLog]             = mutable.LinkedHashMap.empty
  val notes: mutable.LinkedHashMap[String, Array[Byte]]        = mutable.LinkedHashMap.empty
  val uploads: mutable.LinkedHashMap[String, Inode]            = mutable.LinkedHashMap.empty
  val leases: mutable.LinkedHashMap[(String, SimProcess), Int] = mutable.LinkedHashMap.empty
  private var made                                             = 0L

  /** The log of the sink id, or of the batch job, of that name. */
  def log(name: String): DiskLog = logs.getOrElseUpdate(name, new DiskLog)

  /** A part of a name that occurs once in this world. */
  def unique(): String = {
    made += 1
    made.toString
  }

  def create(token: String): Inode = {
    val inode = create(token, staged)
    names.changed(Names.Open) { staged.remove(token); () }
    inode
  }

  def createBeside(token: String): Inode = create(token, beside)

  private def create(token: String, among: mutable.Map[String, Inode]): Inode = {
    val inode = new Inode(token)
    inode.modifiedAtMillis = now()
    if (among.put(token, inode).nonEmpty) throw new Violation(s"$token was made twice")
    inode
  }

  /** An object, whole and durable. */
  def put(token: String, content: Array[Byte]): Unit =
    if (staged.put(token, Inode.of(token, content, now())).nonEmpty)
      throw new Violation(s"$token was made twice")

  /** The bytes that a handle names, wherever they are. */
  def part(handle: String): Option[Inode] =
    Copied.decode(handle).fold(staged.get(handle)) {
      case Copied(_, Copied.InRecord(content), _, _) => Some(Inode.of(handle, content, now()))
      case Copied(_, Copied.InObject(path), _, _)    => staged.get(path)
      case Copied(_, Copied.InUpload(id), _, _)      => uploads.get(id)
    }

  /** What must be there for a handle to be good. */
  def filesOf(handle: String): Vector[String] = Copied.decode(handle).fold(Vector(handle))(_.objects)

  /** Whether an unfinished file has another name. */
  def isShared(token: String): Boolean = staged.get(token).exists(_.namesElsewhere > 0)

  /** Somebody makes files of their own of those unfinished ones that have other names. */
  def separate(): Unit = staged.values.toVector.filter(_.namesElsewhere > 0).foreach { inode =>
    staged.update(inode.token, Inode.of(inode.token, inode.bytes.take(inode.length), now()))
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

  /** An object of that name. */
  def show(inode: Inode, name: String): Unit = {
    oracle.publishing(inode, name)
    inode.finished = Some(name)
    finished.put(name, inode)
    ()
  }

  /** The unfinished name goes in the same step, and a power loss takes both changes or none. */
  def rename(inode: Inode, name: String): Unit = {
    show(inode, name)
    staged.remove(inode.token)
    names.changed(Names.directoryOf(name))(if (finished.get(name).exists(_ eq inode)) {
      finished.remove(name)
      inode.finished = None
      staged.update(inode.token, inode)
      oracle.vanished(inode, name)
    })
  }

  def unlink(token: String): Unit =
    staged.remove(token).foreach(inode => names.changed(Names.Open)(staged.update(token, inode)))

  /** A reader has taken a finished file, to where the sink does not look. */
  def take(name: String, how: Taking): Unit = finished.remove(name).foreach { inode =>
    oracle.taken(name, inode)
    how match {
      case Taking.Move   => inode.namesElsewhere += 1
      case Taking.Delete => ()
    }
  }

  /** The power goes: what was not forced to the disk may be there, or not, or half. */
  def powerLoss(kept: Int => Int): Unit = {
    (staged.valuesIterator ++ beside.valuesIterator).foreach { inode =>
      inode.length = inode.durable + kept(inode.length - inode.durable)
    }
    names.losePower(() => kept(1) == 1)
  }
}

/** What a reader does with a file. */
sealed trait Taking extends Product with Serializable
object Taking {
  case object Move   extends Taking
  case object Delete extends Taking
}

/** What was set aside for a record of a log. */
final case class Aside(log: String, seq: Long, path: String)

/** The records of one log, which of them are marked, and which of their parts are noted as visible. */
final class DiskLog {
  val records: mutable.TreeMap[Long, Array[Byte]]    = mutable.TreeMap.empty
  val marks: mutable.Set[Long]                       = mutable.Set.empty
  val visible: mutable.Map[(Long, Int), Set[String]] = mutable.Map.empty
}

object DiskLog {

  /** That of the query. */
  val Main: String = "main"
}
