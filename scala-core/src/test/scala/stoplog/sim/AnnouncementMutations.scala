// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import stoplog.commit.EarlyAnnouncement
import stoplog.laws.UnusedFiles
import stoplog.log.{LogFiles, RecordCodec}
import stoplog.storage.{FileInfo, FileStore, PutOutcome}

/** The mutations around what follows the publishing. */
object AnnouncementMutations {

  /** Markers and manifests are written as soon as the record is there, and the parts become visible later. */
  object BeforeParts extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        val outcome = super.putIfAbsent(seq, bytes)
        if (outcome == PutOutcome.Created) announce(world, bytes)
        outcome
      }
    }
  }

  /** They are written for a record that is not in the log yet, and may never be: another driver may be faster. */
  object BeforeRecord extends Mutation {
    override def records(world: World, real: LogFiles): LogFiles = new RecordsOver(real) {
      override def putIfAbsent(seq: Long, bytes: Array[Byte]): PutOutcome = {
        announce(world, bytes)
        super.putIfAbsent(seq, bytes)
      }
    }
  }

  /** Nobody looks for the markers that a bucket has. */
  object PastForgotten extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = ()
      override def read(path: String): Option[Array[Byte]]                                =
        if (path.endsWith("_SUCCESS")) None else super.read(path)
    }
  }

  /** What a process has once seen of the markers of a bucket, it takes for all that there ever are. */
  object LooksOnce extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      private val seen = mutable.Map.empty[String, Option[Array[Byte]]]

      override def read(path: String): Option[Array[Byte]] =
        if (path.contains("_SUCCESS")) seen.getOrElseUpdate(path, super.read(path)) else super.read(path)
    }
  }

  /** Whoever finds a marker under the name that was decided takes it for another's, and writes one more. */
  object NeverItsOwn extends Mutation {
    override def notes(world: World, real: FileStore): FileStore = new NotesOver(real) {
      private var taken = Set.empty[String]

      override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = {
        val outcome = super.createIfAbsent(path)(content)
        if (outcome == PutOutcome.Taken) taken += path
        outcome
      }

      override def read(path: String): Option[Array[Byte]] =
        super.read(path).map(bytes => if (taken(path)) ofNoRecord(bytes) else bytes)

      private def ofNoRecord(bytes: Array[Byte]): Array[Byte] =
        new String(bytes, UTF_8).replace("\"seq\":", "\"seq\":9").getBytes(UTF_8)
    }
  }

  private def announce(world: World, record: Array[Byte]): Unit =
    RecordCodec.decode(record).foreach(EarlyAnnouncement.of(_, new SimNotes(world)))
}

/** A store of small files that passes everything on. */
class NotesOver(real: FileStore) extends UnusedFiles {
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome =
    real.createIfAbsent(path)(content)
  override def stat(path: String): Option[FileInfo]                                   = real.stat(path)
  override def read(path: String): Option[Array[Byte]]                                = real.read(path)
  override def exists(path: String): Boolean                                          = real.exists(path)
  override def names(directory: String): Vector[String]                               = real.names(directory)
  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    real.visit(directory, prefix)(each)
  override def delete(paths: Seq[String]): Unit = real.delete(paths)
}
