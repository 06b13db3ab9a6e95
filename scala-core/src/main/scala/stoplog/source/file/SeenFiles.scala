// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.util.{Arrays, UUID}
import java.util.zip.{CRC32C, CheckedInputStream, CheckedOutputStream}

import scala.util.Using
import scala.util.control.NonFatal

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.source.StateFiles
import stoplog.storage.{PutOutcome, SourceFile}

/** Exactly which files have been handed out, for as long as they are on the storage: by their paths and what they were,
  * never by how old they look.
  *
  * Most of it is a [[SeenBase]], written to the checkpoint when enough has come to it; what has come since is a
  * [[SeenTable]], which after a restart is made again from the log of splits. So the heap holds no more of a hundred
  * million files than of one million.
  *
  * @param limits when it is written anew
  */
private[file] final class SeenFiles(
    state: StateFiles,
    width: SeenWidth,
    limits: SeenFiles.SeenLimits = SeenFiles.SeenLimits.default,
    faults: Faults = Faults.none
) {
  private var base                    = SeenBase.empty
  private var since                   = new SeenTable(width)
  private var written: Option[String] = None
  private var stale: Vector[String]   = Vector.empty // to be removed once a record says so
  private var noted: Vector[String]   = Vector.empty // files that were forgotten since the last snapshot
  private var missed: Vector[String]  = Vector.empty // files of what the last whole listing did not find
  private var end                     = 0L           // of the log, when the last snapshot was taken
  private var snapshots               = 0            // since then
  private var cleanedEnd              = 0L
  private var idsSince = Option.empty[Array[Int]] // halves of ids, in order

  /** The file's identity when it was handed out. */
  def find(path: String): Option[FileIdentity] = {
    val hash = PathHash.of(path)
    val slot = since.find(hash)
    if (slot >= 0) Some(since.identity(slot))
    else inBase(hash).map(base.identity)
  }

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

  def put(file: SourceFile): Unit =
    since.put(PathHash.of(file.path), FileIdentity.of(file))

  def forget(path: String): Unit = since.forget(PathHash.of(path))

  /** So many splits, from the source's beginning on, are done with: what they read to the end was to be put away. */
  def cleaned: Long = cleanedEnd

  /** Forgets files that were put away, and notes it: another may come under such a name before there is a next snapshot.
    *
    * @param end of the splits that are done with
    */
  def putAway(paths: Vector[String], end: Long): Unit = {
    cleanedEnd = end
    val hashes = paths.map(PathHash.of)
    hashes.foreach(since.forget)
    if (hashes.nonEmpty) noteGone(hashes)
  }

  def beginListing(): Unit = {
    idsSince = None
    base.beginListing()
    since.beginListing()
  }

  /** [[find]], and a note that the file is there. */
  def sighted(hash: PathHash): Option[FileIdentity] = {
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

  /** Forgets the files that two listings in a row have not found: one alone may have run past a file that was being
    * moved.
    */
  def endListing(): Unit = {
    val gone = base.missingTwice().filterNot(since.knows) ++ since.missing()
    gone.foreach(since.forget)
    if (gone.nonEmpty) noteGone(gone)
    noteMissed(base.unsighted().filterNot(since.knows) ++ since.missedOnce())
  }

  /** A listing failed: it says nothing about files that it did not find, and neither does the one before. */
  def abandonListing(): Unit = {
    base.trustAll()
    since.trustAll()
    try noteMissed(Vector.empty)
    catch { case NonFatal(_) => () } // the enumerator throws the failure of the listing
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
    if (since.size >= limits.files || snapshots >= limits.snapshots) compact()
    out.writeUTF(written.getOrElse(""))
    out.writeInt(snapshots)
    out.writeLong(end)
    out.writeLong(cleanedEnd)
    SeenFiles.writeGone(since.gone(), out)
  }

  /** @param assigned the splits of the log from a number on */
  def restore(in: DataInput, assigned: Long => Iterator[FileSplit]): Unit = {
    written = Some(in.readUTF()).filter(_.nonEmpty)
    base = written.fold(SeenBase.empty)(readBase)
    base.trustAll()
    since = new SeenTable(width)
    snapshots = in.readInt()
    end = in.readLong()
    cleanedEnd = in.readLong()
    assigned(oldestNeeded).foreach(split => put(split.file))
    SeenFiles.readGone(in).foreach(since.forget)
    val (ofMisses, others) = state.list().filterNot(written.contains).partition(_.endsWith(SeenFiles.Missed))
    restoreGone(others)
    restoreMissed(ofMisses)
  }

  /** The first split of the log that [[restore]] reads. */
  def oldestNeeded: Long = written.fold(0L)(SeenFiles.endOf)

  def size: Int = base.size + since.size

  /** A snapshot comes only with the next files: files that are forgotten now are noted until then. */
  private def noteGone(hashes: Vector[PathHash]): Unit = {
    val name = SeenFiles.name(end, "gone")
    noted :+= name
    writeNote(name, hashes)
    faults.at(Step.GoneNoted)
  }

  /** A run may have one listing alone: what it misses is noted for the next run. The note of the listing before goes first,
    * so that no note ever tells of any but the last one; one that is lost costs a listing more.
    */
  private def noteMissed(hashes: Vector[PathHash]): Unit = {
    missed.foreach(state.delete)
    missed = Vector.empty
    if (hashes.nonEmpty) {
      missed = Vector(SeenFiles.name(end, SeenFiles.Missed))
      missed.foreach(writeNote(_, hashes))
    }
  }

  private def writeNote(name: String, hashes: Vector[PathHash]): Unit = {
    state.putIfAbsent(name) { to =>
      val out = new DataOutputStream(to)
      out.writeInt(SeenFiles.Version)
      out.writeLong(cleanedEnd)
      SeenFiles.writeGone(hashes, out)
      out.flush()
    }
    ()
  }

  /** Files that this driver does not need are of drivers that died in between, or of one that still lives and is about to
    * write the next record: so they stay until there is a record of this driver, which fences that one.
    */
  private def restoreGone(names: Vector[String]): Unit = names.foreach { name =>
    noted :+= name
    if (name.endsWith(".gone") && SeenFiles.endOf(name) == end) {
      val (cleaned, hashes) = readNote(name, opened(name))
      cleanedEnd = cleanedEnd.max(cleaned)
      hashes.foreach(since.forget)
    }
  }

  /** Of two notes, one is of a driver that this one has come after, or goes before: which is the last, nothing tells. */
  private def restoreMissed(names: Vector[String]): Unit = {
    missed = names
    if (names.sizeIs == 1)
      try
        readNote(names.head, state.open(names.head))._2.foreach { hash =>
          val slot = since.find(hash)
          if (slot >= 0) since.missed(slot) else inBase(hash).foreach(base.missed)
        }
      catch { case _: FileNotFoundException => () } // another driver has listed since
  }

  private def readNote(name: String, note: InputStream): (Long, Vector[PathHash]) =
    Using.resource(new DataInputStream(new BufferedInputStream(note))) { in =>
      refuseNewer(name, in.readInt())
      (in.readLong(), SeenFiles.readGone(in))
    }

  private def inBase(hash: PathHash): Option[Int] =
    Some(base.find(hash)).filter(place => place >= 0 && !since.isGone(hash))

  private def compact(): Unit = {
    val merged = SeenBase.of(SeenFiles.merged(base.entries, since.sorted().iterator), width)
    val name   = SeenFiles.name(end, "seen")
    val put    = state.putIfAbsent(name) { to =>
      val checked = new CheckedOutputStream(to, new CRC32C())
      val out     = new DataOutputStream(new BufferedOutputStream(checked))
      out.writeInt(SeenFiles.Version)
      out.writeInt(width.longs)
      out.writeInt(merged.size)
      SeenBase.writeTo(merged, out)
      out.flush()
      out.writeLong(checked.getChecksum.getValue)
      out.flush()
    }
    if (put == PutOutcome.Taken) throw Errors.sourceFenced(state.describe(name))
    faults.at(Step.SeenWritten)
    stale ++= written
    written = Some(name)
    merged.trustAll()
    base = merged
    since = new SeenTable(width)
    snapshots = 0
  }

  private def refuseNewer(name: String, version: Int): Unit =
    if (version > SeenFiles.Version)
      throw Errors.recordTooNew(state.describe(name), version, SeenFiles.Version)

  private def opened(name: String): InputStream =
    try state.open(name)
    catch {
      case _: FileNotFoundException =>
        throw Errors.sourceStateLost(state.describe(name), SeenFiles.endOf(name))
    }

  private def readBase(name: String): SeenBase = {
    val checked = new CheckedInputStream(new BufferedInputStream(opened(name)), new CRC32C())
    val in      = new DataInputStream(checked)
    try {
      val version = in.readInt()
      refuseNewer(name, version)
      val width = if (version < 2) SeenWidth.Plain else SeenWidth.of(in.readInt())
      val read  = SeenBase.read(in, in.readInt(), width)
      val sum   = checked.getChecksum.getValue
      if (in.readLong() != sum) throw Errors.recordTorn(state.describe(name), "its checksum does not match")
      read
    } catch {
      case _: EOFException => throw Errors.recordTorn(state.describe(name), "it ends in the middle")
    } finally in.close()
  }
}

private[stoplog] object SeenFiles {
  final val Version = 2

  /** The kind of a note of files that the last whole listing did not find. */
  final val Missed = "missed"

  def writeGone(hashes: Vector[PathHash], out: DataOutput): Unit = {
    out.writeInt(hashes.size)
    hashes.foreach { hash =>
      out.writeLong(hash.high)
      out.writeInt(hash.low)
    }
  }

  def readGone(in: DataInput): Vector[PathHash] =
    Vector.fill(in.readInt())(PathHash(in.readLong(), in.readInt()))

  // Unique, since a driver that dies before its record leaves one behind.
  def name(end: Long, kind: String): String = f"$end%020d-${UUID.randomUUID()}.$kind"

  def endOf(name: String): Long = name.takeWhile(_.isDigit).toLong

  /** Both in the order of their hashes: what the second says of a file counts. */
  def merged(
      older: Iterator[SeenTable.SeenEntry],
      newer: Iterator[SeenTable.SeenEntry]
  ): Iterator[SeenTable.SeenEntry] = {
    val (left, right) = (older.buffered, newer.buffered)
    val all           = new Iterator[SeenTable.SeenEntry] {
      override def hasNext: Boolean            = left.hasNext || right.hasNext
      override def next(): SeenTable.SeenEntry =
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

  /** The limits of the entries that have come since the files were last written down.
    *
    * @param files     24 bytes of heap each, and as much again for room
    * @param snapshots each is a record that is kept, and read after a restart
    */
  final case class SeenLimits(files: Int, snapshots: Int)

  object SeenLimits {
    val default: SeenLimits = SeenLimits(250 * 1000, 500)
  }
}
