// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.util.{Arrays, UUID}

import scala.collection.mutable
import scala.util.Using

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.source.StateFiles
import stoplog.source.file.SeenTable.SeenEntry
import stoplog.storage.{PutOutcome, SourceFile}
import stoplog.thread.Clock

/** Exactly which files have been handed out, for as long as they are on the storage: by their paths and what they were,
  * never by how old they look. And the directories in which they are.
  *
  * Most of it is a [[SeenBase]], written to the checkpoint when enough has come to it; what has come since is a
  * [[SeenTable]], which after a restart is made again from the records of splits: each names the files that it hands
  * out, and the changes since the record before. So the heap holds no more of a hundred million files than of one
  * million.
  *
  * @param limits when it is written anew
  */
private[file] final class SeenFiles(
    state: StateFiles,
    width: SeenWidth,
    absence: Absence,
    clock: Clock,
    limits: SeenFiles.SeenLimits = SeenFiles.SeenLimits.default,
    faults: Faults = Faults.none
) {
  private val absentNotes             = new AbsentNotes(state, absence, clock)
  private var base                    = SeenBase.empty
  private var since                   = new SeenTable(width)
  private var written: Option[String] = None
  private var stale: Vector[String]   = Vector.empty // to be removed once a record says so
  private var noted: Vector[String]   = Vector.empty // files that were forgotten since the last snapshot
  private var end                     = 0L           // of the log, when the last snapshot was taken
  private var snapshots               = 0            // since then
  private var grownBytes              = 0L           // of the records since then
  private var cleanedEnd              = 0L
  private var idsSince = Option.empty[Array[Int]] // halves of ids, in order

  // The changes since the last snapshot that its splits do not name.
  private val forgotten   = mutable.ArrayBuffer.empty[PathHash]
  private val directories = mutable.HashMap.empty[PathHash, SeenDirectory]

  /** The file's identity when it was handed out. */
  def find(path: String): Option[FileIdentity] = identity(PathHash.ofFile(path))

  /** The directory as it was when files in it were handed out. */
  def directory(hash: PathHash): Option[SeenDirectory] = identity(hash).flatMap(SeenDirectory.unapply)

  /** The files of an id, as they were when they were handed out: none if marks are not kept. Reads all that is remembered
    * only if there is one: the first call of a listing sorts the ids.
    */
  def ofId(file: SourceFile): Vector[FileIdentity] = {
    val wanted = FileMark.of(file).id
    if (width == SeenWidth.Plain || wanted == 0) Vector.empty
    else {
      if (idsSince.isEmpty) idsSince = Some(since.ids())
      val isKnown = idsSince.exists(Arrays.binarySearch(_, wanted) >= 0) || base.hasId(wanted)
      if (isKnown) all.filter(_.mark.id == wanted).toVector else Vector.empty
    }
  }

  private def all: Iterator[FileIdentity] =
    (since.sorted().iterator ++ base.entries.filterNot(entry => since.knows(entry.hash))).flatMap(_.identity)

  def put(file: SourceFile): Unit = {
    since.put(PathHash.ofFile(file.path), FileIdentity.of(file))
    grownBytes += file.path.length + width.bytes
  }

  def putDirectory(hash: PathHash, now: SeenDirectory): Unit = if (!directory(hash).contains(now)) {
    since.put(hash, now.packed)
    directories(hash) = now
    grownBytes += width.bytes
  }

  def forget(path: String): Unit = forget(PathHash.ofFile(path))

  /** So many splits, from the source's beginning on, are done with: what they read to the end was to be put away. */
  def cleaned: Long = cleanedEnd

  /** Forgets files that were put away, and notes it: another may come under such a name before there is a next snapshot.
    *
    * @param end of the splits that are done with
    */
  def putAway(paths: Vector[String], end: Long): Unit = {
    cleanedEnd = end
    forgetNoted(paths.map(PathHash.ofFile(_)))
  }

  def beginListing(): Unit = {
    idsSince = None
    base.beginListing()
    since.beginListing()
  }

  /** [[find]], and a note that the file is there. */
  def sighted(hash: PathHash): Option[FileIdentity] = {
    if (absence.sighted(hash)) absentNotes.shrunk()
    val slot = since.find(hash)
    if (slot >= 0) {
      since.sighted(slot)
      Some(since.identity(slot))
    } else
      inBase(hash).map { place =>
        base.sighted(place)
        base.identity(place)
      }
  }

  /** The files and directories that the listing has not found so far. */
  def unsighted: Iterator[SeenEntry] =
    base.unsighted.filterNot(entry => since.knows(entry.hash)) ++ since.unsighted

  /** Ends a listing of all directories. Forgets the files and directories that [[Absence]] gives up, and returns them. */
  def endListing(evidence: Evidence): Vector[PathHash] = {
    val gone = absence.judge(evidence, () => unsighted, clock.elapsedMillis())
    forgetNoted(gone)
    if (evidence != Evidence.Nothing) absentNotes.write(end)
    gone
  }

  /** Writes the state that [[restore]] needs beside the log.
    *
    * @param end the number of splits that the log has with those that were just handed out
    */
  def snapshot(end: Long, out: DataOutput): Unit = {
    stale.foreach { name =>
      state.delete(name)
      faults.at(Step.StaleDropped)
    }
    stale = noted // the snapshot says it, too
    noted = Vector.empty
    this.end = end
    snapshots += 1
    val gone = forgotten.iterator.filter(since.isGone).distinct.toVector
    grownBytes += gone.size * PathHash.Bytes
    val changes =
      if (isDue) {
        compact()
        SeenChanges.none
      } else SeenChanges(gone, directories.toVector)
    forgotten.clear()
    directories.clear()
    SeenFiles.Snapshot(written, snapshots, end, cleanedEnd, changes).write(out)
  }

  /** @param assigned the records of splits from a number on */
  def restore(in: DataInput, assigned: Long => Iterator[(Seq[FileSplit], SeenFiles.Snapshot)]): Unit = {
    val newest = SeenFiles.Snapshot.read(in)
    written = newest.written
    base = written.fold(SeenBase.empty)(SeenBaseFile.read(state, _))
    since = new SeenTable(width)
    snapshots = newest.snapshots
    end = newest.end
    cleanedEnd = newest.cleanedEnd
    assigned(oldestNeeded).foreach { case (splits, snapshot) =>
      splits.foreach(split => put(split.file))
      snapshot.changes.directories.foreach { case (hash, directory) => putDirectory(hash, directory) }
      snapshot.changes.gone.foreach(since.forget)
      grownBytes += snapshot.changes.gone.size * PathHash.Bytes
    }
    directories.clear()
    val (ofAbsent, others) = state.list().filterNot(written.contains).partition(AbsentNotes.isOne)
    restoreGone(others)
    absentNotes.restore(ofAbsent)
  }

  /** The first split of the log that [[restore]] reads. */
  def oldestNeeded: Long = written.fold(0L)(SeenFiles.endOf)

  def size: Int = base.size + since.size

  private def identity(hash: PathHash): Option[FileIdentity] = {
    val slot = since.find(hash)
    if (slot >= 0) Some(since.identity(slot))
    else inBase(hash).map(base.identity)
  }

  private def forget(hash: PathHash): Unit = {
    since.forget(hash)
    forgotten += hash
    absence.sighted(hash)
    ()
  }

  /** A snapshot comes only with the next files: files that are forgotten now are noted until then. */
  private def forgetNoted(hashes: Vector[PathHash]): Unit = if (hashes.nonEmpty) {
    hashes.foreach(forget)
    val name = SeenFiles.name(end, SeenFiles.Gone)
    noted :+= name
    state.putIfAbsent(name) { to =>
      val out = new DataOutputStream(to)
      out.writeInt(SeenFiles.Version)
      out.writeLong(cleanedEnd)
      PathHash.writeAll(hashes, out)
      out.flush()
    }
    faults.at(Step.GoneNoted)
  }

  /** Files that this driver does not need are of drivers that died in between, or of one that still lives and is about to
    * write the next record: so they stay until there is a record of this driver, which fences that one.
    */
  private def restoreGone(names: Vector[String]): Unit = names.foreach { name =>
    noted :+= name
    if (name.endsWith(SeenFiles.Gone) && SeenFiles.endOf(name) == end)
      Using.resource(new DataInputStream(new BufferedInputStream(SeenFiles.opened(state, name)))) { in =>
        SeenFiles.refuseNewer(state, name, in.readInt())
        cleanedEnd = cleanedEnd.max(in.readLong())
        PathHash.readAll(in).foreach(forget)
      }
  }

  private def inBase(hash: PathHash): Option[Int] =
    Some(base.find(hash)).filter(place => place >= 0 && !since.isGone(hash))

  /** A restart reads the records since the base, so they may have as many bytes as the base. */
  private def isDue: Boolean =
    since.size >= limits.files || snapshots >= limits.snapshots || grownBytes >= limits.bytes.max(base.bytes)

  private def compact(): Unit = {
    val merged = SeenBase.of(SeenFiles.merged(base.entries, since.sorted().iterator), width)
    val name   = SeenFiles.name(end, ".seen")
    if (SeenBaseFile.write(state, name, merged) == PutOutcome.Taken)
      throw Errors.sourceFenced(state.describe(name))
    faults.at(Step.SeenWritten)
    stale ++= written
    written = Some(name)
    base = merged
    since = new SeenTable(width)
    snapshots = 0
    grownBytes = 0
  }
}

/** Changes between two records of splits which the splits do not name.
  *
  * @param gone        files that were forgotten, and directories
  * @param directories that are new, or have another identity
  */
private[file] final case class SeenChanges(
    gone: Vector[PathHash],
    directories: Vector[(PathHash, SeenDirectory)]
)

private[file] object SeenChanges {
  val none: SeenChanges = SeenChanges(Vector.empty, Vector.empty)
}

private[stoplog] object SeenFiles {
  final val Version = 3

  private final val Gone = ".gone"

  /** The state in one record of splits.
    *
    * @param written   the file of the base
    * @param snapshots since the base
    * @param end       the number of splits that the log has with those of the record
    */
  private[file] final case class Snapshot(
      written: Option[String],
      snapshots: Int,
      end: Long,
      cleanedEnd: Long,
      changes: SeenChanges
  ) {
    def write(out: DataOutput): Unit = {
      out.writeUTF(written.getOrElse(""))
      out.writeInt(snapshots)
      out.writeLong(end)
      out.writeLong(cleanedEnd)
      PathHash.writeAll(changes.gone, out)
      out.writeInt(changes.directories.size)
      changes.directories.foreach { case (hash, directory) =>
        hash.write(out)
        out.writeShort(directory.tag)
        out.writeBoolean(directory.file.isDefined)
        out.writeLong(directory.file.getOrElse(0L))
        out.writeBoolean(directory.isReplaced)
      }
    }
  }

  private[file] object Snapshot {
    def read(in: DataInput): Snapshot =
      Snapshot(Some(in.readUTF()).filter(_.nonEmpty), in.readInt(), in.readLong(), in.readLong(), changes(in))

    private def changes(in: DataInput): SeenChanges =
      SeenChanges(PathHash.readAll(in), Vector.fill(in.readInt())(PathHash.read(in) -> directory(in)))

    private def directory(in: DataInput): SeenDirectory = {
      val tag       = in.readUnsignedShort()
      val hasNumber = in.readBoolean()
      SeenDirectory(tag, Some(in.readLong()).filter(_ => hasNumber), in.readBoolean())
    }
  }

  // Unique, since a driver that dies before its record leaves one behind.
  private[file] def name(end: Long, suffix: String): String = f"$end%020d-${UUID.randomUUID()}$suffix"

  private[file] def endOf(name: String): Long = name.takeWhile(_.isDigit).toLong

  private[file] def refuseNewer(state: StateFiles, name: String, version: Int): Unit =
    if (version > Version) throw Errors.recordTooNew(state.describe(name), version, Version)

  private[file] def opened(state: StateFiles, name: String): InputStream =
    try state.open(name)
    catch {
      case _: FileNotFoundException => throw Errors.sourceStateLost(state.describe(name), endOf(name))
    }

  /** Both in the order of their hashes: what the second says of a file counts. */
  private[file] def merged(older: Iterator[SeenEntry], newer: Iterator[SeenEntry]): Iterator[SeenEntry] = {
    val (left, right) = (older.buffered, newer.buffered)
    val all           = new Iterator[SeenEntry] {
      override def hasNext: Boolean  = left.hasNext || right.hasNext
      override def next(): SeenEntry =
        if (!right.hasNext) left.next()
        else if (!left.hasNext) right.next()
        else {
          val order = left.head.hash.compare(right.head.hash)
          if (order == 0) left.next()
          if (order < 0) left.next() else right.next()
        }
    }
    all.filter(_.identity.isDefined)
  }

  /** The limits of the entries that have come since the base was last written.
    *
    * @param files     24 bytes of heap each, and as much again for room
    * @param snapshots each is a record that is kept, and read after a restart
    * @param bytes     of these records. If the base is larger, its size is the limit
    */
  final case class SeenLimits(files: Int, snapshots: Int, bytes: Long = 1 << 20)

  object SeenLimits {
    val default: SeenLimits = SeenLimits(250 * 1000, 500)
  }
}
