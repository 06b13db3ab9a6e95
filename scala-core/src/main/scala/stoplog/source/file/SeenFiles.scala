// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.util.UUID

import scala.collection.mutable
import scala.util.Using

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.source.StateFiles
import stoplog.source.file.SeenTable.SeenEntry
import stoplog.storage.{Digits, PutOutcome, SourceFile}
import stoplog.thread.Clock

/** Remembers exactly which files have been handed out, for as long as the files are on the storage. Files are
  * identified by path and [[FileIdentity]], never by age. Also remembers the directories of these files.
  *
  * Most entries are in a [[SeenBase]], which is written to the checkpoint when enough new entries have
  * accumulated. New entries are in a [[SeenTable]]. After a restart the table is rebuilt from the records of
  * splits: each record names the files handed out and the changes since the preceding record. So the heap
  * usage for a hundred million files is not larger than for one million.
  *
  * @param limits when the base is rewritten
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
  private var stale: Vector[String]   = Vector.empty          // deleted once a newer record is written
  private var noted: Vector[String]   = Vector.empty          // `.gone` files written since the last snapshot
  private var end                     = 0L                    // of the log, at the last snapshot
  private var snapshots               = 0                     // since the base was written
  private var grownBytes              = 0L                    // of the records since the base
  private var cleanedEnd              = 0L
  private var idsSince                = Option.empty[IdIndex] // of the current listing

  // Changes since the last snapshot, apart from the files in splits.
  private val forgotten   = mutable.ArrayBuffer.empty[PathHash]
  private val directories = mutable.HashMap.empty[PathHash, SeenDirectory]

  /** Returns the identity of the file at the time of handing out. */
  def find(path: String): Option[FileIdentity] = identity(PathHash.ofFile(path))

  /** Returns the directory as of the time when files in the directory were handed out. */
  def directory(hash: PathHash): Option[SeenDirectory] = identity(hash).flatMap(SeenDirectory.unapply)

  /** Returns the files with the id of `file`, as of the time when the files were handed out. Empty if marks
    * are not kept. The first call of a listing sorts the entries by id.
    */
  def ofId(file: SourceFile): Vector[FileIdentity] = {
    val wanted = FileMark.of(file).id
    if (width == SeenWidth.Plain || wanted == 0) Vector.empty
    else {
      val recent = idsSince.getOrElse(since.ids())
      idsSince = Some(recent)
      val older = base.ids.find(wanted).filterNot(place => since.knows(base.hashAt(place)))
      (recent.find(wanted).map(since.identity) ++ older.map(base.identity)).toVector
    }
  }

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

  /** The number of splits, from the start of the source, whose fully read files have been cleaned. */
  def cleaned: Long = cleanedEnd

  /** Forgets cleaned files and records this at once in the checkpoint. Another file may appear under such a
    * name before the next snapshot.
    *
    * @param end the end of the cleaned splits
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

  /** Like [[find]], and records the file as found by the listing. */
  def markFound(hash: PathHash): Option[FileIdentity] = {
    if (absence.found(hash)) absentNotes.shrunk()
    val slot = since.find(hash)
    if (slot >= 0) {
      since.markFound(slot)
      Some(since.identity(slot))
    } else
      inBase(hash).map { place =>
        base.markFound(place)
        base.identity(place)
      }
  }

  /** The files and directories not found by the current listing so far. */
  def unsighted: Iterator[SeenEntry] =
    base.unsighted.filterNot(entry => since.knows(entry.hash)) ++ since.unsighted

  /** Ends a listing of all directories. Forgets the files and directories given up by [[Absence]], and
    * returns these.
    */
  def endListing(evidence: Evidence): Vector[PathHash] = {
    val gone = absence.judge(evidence, () => unsighted, clock.elapsedMillis())
    forgetNoted(gone)
    if (evidence != Evidence.Nothing) absentNotes.write(end)
    gone
  }

  /** Writes the state for [[restore]], in addition to the log.
    *
    * @param end the number of splits in the log, including the splits just handed out
    */
  def snapshot(end: Long, out: DataOutput): Unit = {
    stale.foreach { name =>
      state.delete(name)
      faults.at(Step.StaleDropped)
    }
    stale = noted // the snapshot contains these hashes
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

  /** @param assigned returns the records of splits from a number */
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
    absence.found(hash)
    ()
  }

  /** Writes forgotten files to the checkpoint at once, because the next snapshot is only written with the
    * next files.
    */
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

  /** Reads the `.gone` file of the newest record. Other `.gone` files belong to a dead driver, or to a driver
    * still alive and about to write the next record. The files stay until this driver writes a record, which
    * fences the other driver.
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

  /** A restart reads the records since the base. These records may have as many bytes as the base. */
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

/** Changes between two records of splits, apart from the files in the splits.
  *
  * @param gone        forgotten files and directories
  * @param directories new directories and directories with another identity
  */
private[file] final case class SeenChanges(
    gone: Vector[PathHash],
    directories: Vector[(PathHash, SeenDirectory)]
)

private[file] object SeenChanges {
  val none: SeenChanges = SeenChanges(Vector.empty, Vector.empty)
}

private[stoplog] object SeenFiles {
  final val Version = 1

  private final val Gone = ".gone"

  /** The state in one record of splits.
    *
    * @param written   the name of the base file
    * @param snapshots the number of snapshots since the base
    * @param end       the number of splits in the log, including the splits of the record
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

  // Unique, because a driver killed before the next record leaves a file in the checkpoint.
  private[file] def name(end: Long, suffix: String): String = s"${Digits.of(end)}-${UUID.randomUUID()}$suffix"

  private[file] def endOf(name: String): Long = name.takeWhile(_.isDigit).toLong

  private[file] def refuseNewer(state: StateFiles, name: String, version: Int): Unit =
    if (version > Version) throw Errors.recordTooNew(state.describe(name), version, Version)

  private[file] def opened(state: StateFiles, name: String): InputStream =
    try state.open(name)
    catch {
      case _: FileNotFoundException => throw Errors.sourceStateLost(state.describe(name), endOf(name))
    }

  /** Merges two sorted iterators. If both contain a hash, the newer entry counts. */
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

  /** The limits of the entries that were added since the base was last written.
    *
    * @param files     each uses 24 bytes of heap, and as much again for free slots
    * @param snapshots each is a record that is kept and is read after a restart
    * @param bytes     of these records. If the base is larger, the size of the base is the limit
    */
  final case class SeenLimits(files: Int, snapshots: Int, bytes: Long = 1 << 20)

  object SeenLimits {
    val default: SeenLimits = SeenLimits(250 * 1000, 500)
  }
}
