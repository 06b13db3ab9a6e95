// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import scala.collection.mutable

import stoplog.log.RecordCodec

/** A file system in memory: names, what they point to, and who has promised to be writing.
  *
  * @param first who watches what is of no other sink id
  */
final class Disk(first: Oracle, now: () => Long, takes: PowerTakes) {
  val names: Names = new Names(takes)

  val staged: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val beside: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val finished: mutable.LinkedHashMap[String, Inode]           = mutable.LinkedHashMap.empty
  val aside: mutable.LinkedHashMap[Aside, Inode]               = mutable.LinkedHashMap.empty
  val logs: mutable.LinkedHashMap[String, DiskLog]             = mutable.LinkedHashMap.empty
  val notes: mutable.LinkedHashMap[String, Array[Byte]]        = mutable.LinkedHashMap.empty
  val uploads: mutable.LinkedHashMap[String, Inode]            = mutable.LinkedHashMap.empty
  val leases: mutable.LinkedHashMap[(String, SimProcess), Int] = mutable.LinkedHashMap.empty
  val kept: mutable.LinkedHashMap[String, Inode]               = mutable.LinkedHashMap.empty
  val hidden: mutable.LinkedHashMap[String, Inode]             = mutable.LinkedHashMap.empty
  val lengths: mutable.LinkedHashMap[String, Int]              = mutable.LinkedHashMap.empty
  private val watching                                         = mutable.Map.empty[String, Oracle]
  private var made                                             = 0L

  /** From here on this one watches what is of that sink id. */
  def watched(sinkId: String, by: Oracle): Unit = watching.update(sinkId, by)

  /** Who watches a file, by the name that it was made under. */
  def oracle(token: String): Oracle =
    if (watching.isEmpty) first else watching.getOrElse(Disk.sinkOf(token), first)

  /** The log of the sink id, or of the batch job, of that name. */
  def log(name: String): DiskLog = logs.getOrElseUpdate(name, new DiskLog)

  /** A part of a name that occurs once in this world. */
  def unique(): String = {
    made += 1
    made.toString
  }

  def create(token: String, by: SimProcess): Inode = {
    val inode = create(token, staged, by)
    names.changed(Names.Open) { staged.remove(token); () }
    inode
  }

  def createBeside(token: String, by: SimProcess): Inode = create(token, beside, by)

  private def create(token: String, among: mutable.Map[String, Inode], by: SimProcess): Inode = {
    val inode = new Inode(token)
    inode.maker = Some(by)
    inode.modifiedAtMillis = now()
    if (among.put(token, inode).nonEmpty) throw new Violation(s"$token was made twice")
    inode
  }

  /** An object, whole and durable. */
  def put(token: String, content: Array[Byte], by: SimProcess): Unit =
    if (staged.put(token, made(token, content, by)).nonEmpty)
      throw new Violation(s"$token was made twice")

  /** An upload, with what was sent of it. */
  def upload(id: String, content: Array[Byte], by: SimProcess): Unit =
    uploads.update(id, made(id, content, by))

  private def made(token: String, content: Array[Byte], by: SimProcess): Inode = {
    val inode = Inode.of(token, content, now())
    inode.maker = Some(by)
    inode
  }

  /** The bytes that a handle names, wherever they are. */
  def part(handle: String): Option[Inode] =
    Copied.decode(handle).fold(staged.get(handle)) {
      case Copied(_, Copied.InRecord(content), _, _)              => Some(Inode.of(handle, content, now()))
      case Copied(_, Copied.InObject(path, length, behind), _, _) =>
        staged.get(path).map(inode => Inode.of(handle, inode.bytes.take(length) ++ behind, now()))
      case Copied(_, Copied.InUpload(id), _, _) => uploads.get(id)
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
    oracle(inode.token).changing(inode, at)
    val end = at + count
    if (end > inode.bytes.length) inode.bytes = java.util.Arrays.copyOf(inode.bytes, end * 2)
    if (at > inode.length) java.util.Arrays.fill(inode.bytes, inode.length, at, 0.toByte)
    System.arraycopy(from, offset, inode.bytes, at, count)
    inode.length = inode.length.max(end)
    inode.durable = inode.durable.min(at)
    inode.modifiedAtMillis = now()
  }

  def truncate(inode: Inode, size: Int): Unit = if (inode.length != size) {
    oracle(inode.token).changing(inode, size)
    inode.length = size
    inode.durable = inode.durable.min(size)
    inode.modifiedAtMillis = now()
  }

  /** An object of that name. */
  def show(inode: Inode, name: String): Unit = {
    oracle(inode.token).publishing(inode, name)
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
      oracle(inode.token).vanished(inode, name)
    })
  }

  def unlink(token: String): Unit =
    staged.remove(token).foreach(inode => names.changed(Names.Open)(staged.update(token, inode)))

  /** A reader has taken a finished file, to where the sink does not look. */
  def take(name: String, how: Taking): Unit = finished.remove(name).foreach { inode =>
    oracle(inode.token).taken(name, inode)
    how match {
      case Taking.Move   => inode.namesElsewhere += 1
      case Taking.Delete => ()
    }
  }

  /** The rows that readers see, each as often as they see it. */
  def visibleRows: Vector[String] = finished.valuesIterator.flatMap(_.counted).toVector

  /** All that is stored and may still mean something to somebody: what a dead process has made is nothing without a record
    * that names it. Where the clock stands still, nobody lists what is unfinished, so its order says nothing. Records never
    * change.
    */
  def fingerprint(cached: Fingerprint.Cached): Long = {
    val named = logs.valuesIterator.flatMap(_.records.valuesIterator).flatMap(namedBy).toSet
    val alive = (inode: Inode) => inode.maker.forall(_.alive) || named(inode.token)
    Fingerprint.of(
      (
        Vector(staged, beside, uploads).map(_.filter(entry => alive(entry._2)).toMap),
        (Vector(finished, aside, notes, kept, hidden), lengths),
        logs.map { case (name, log) =>
          val records = log.records.map { case (seq, bytes) => seq -> cached.of(bytes) }
          name -> ((records, log.marks, log.notes))
        }.toMap,
        leases.filter(_._1._2.alive).toSet
      )
    )
  }

  private val namedIn = new java.util.IdentityHashMap[Array[Byte], Set[String]]()

  private def namedBy(record: Array[Byte]): Set[String] = namedIn.computeIfAbsent(
    record,
    bytes =>
      RecordCodec
        .decode(bytes)
        .fold(
          _ => Set.empty[String],
          read =>
            read.state.spoolFiles ++
              (read.state.open.map(_.handle.token) ++ read.publish.map(_.handle.token)).flatMap(filesOf)
        )
  )

  /** The power goes: what was not forced to the disk may be there, or not, or half. */
  def powerLoss(kept: Int => Int): Unit = {
    (staged.valuesIterator ++ beside.valuesIterator).foreach { inode =>
      inode.length = inode.durable + kept(inode.length - inode.durable)
    }
    names.losePower(() => kept(1) == 1)
  }
}

object Disk {

  /** The sink id, or the batch job, of an unfinished file: its directory. */
  def sinkOf(token: String): String = token.takeWhile(_ != '/')
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
  val records: mutable.TreeMap[Long, Array[Byte]] = mutable.TreeMap.empty
  val marks: mutable.Set[Long]                    = mutable.Set.empty
  val notes: mutable.Map[(Long, Int), String]     = mutable.Map.empty
}

object DiskLog {

  /** That of the query. */
  val Main: String = "main"

  /** That of another query in the same directory. */
  val Other: String = "other"

  /** That of the batch compaction. */
  val Replace: String = "replace"
}
