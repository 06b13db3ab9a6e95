// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.IOException
import java.nio.file.FileSystemException
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

import stoplog.error.{Causes, Log, StoplogException}
import stoplog.fault.{Faults, Step}
import stoplog.source.StateFiles
import stoplog.storage.{MoveOutcome, OpenFailure, SourceFile, SourceFiles}
import stoplog.thread.Pooled

/** The handling of a file once the micro-batch that read the end of it is committed. */
private[stoplog] sealed trait CleanSource extends Serializable
private[stoplog] object CleanSource {
  case object Keep   extends CleanSource
  case object Delete extends CleanSource

  /** Deletes a file, unless the file is the only place of bytes omitted from the rows.
    *
    * @param quarantine the notes about omitted data
    */
  final class DeleteNoted(val quarantine: StateFiles) extends CleanSource

  /** Moves a file into this directory, under the path below the source's root. If the file itself is the
    * root, the file keeps only the name.
    */
  final case class Archive(directory: String) extends CleanSource

  /** Whether a found file that differs from a listed file has replaced the listed file. A longer file may be
    * the same file after an append. Object stores only replace files. A file of the same length and time is
    * the listed file even with another id: a copy to another disk keeps both, and changes all ids.
    */
  private[file] def isReplaced(files: SourceFiles, listed: SourceFile, found: SourceFile): Boolean =
    !isAsListed(listed, found) && {
      val bytes = listed.storedBytes.getOrElse(listed.bytes)
      found.id.isOther(listed.id) || !files.canAppend || found.bytes < bytes
    }

  /** Whether a found file has the length and the time of a listed file, and no other tag. Ignores the id,
    * because ids may differ between hosts and disks.
    */
  private[file] def isAsListed(listed: SourceFile, found: SourceFile): Boolean =
    found.copy(id = listed.id).isStill(listed)

  /** The result of cleaning a file. */
  private[file] sealed trait Cleaned
  private[file] object Cleaned {

    /** This call has removed the file from the path. */
    case object Removed extends Cleaned

    /** No file is at the path. The disk of the file may be absent. */
    case object Absent extends Cleaned

    /** Another file is at the path, which no micro-batch has read. */
    case object Replaced extends Cleaned

    /** The file stays. */
    case object Left extends Cleaned
  }

  /** Cleans files after reading. A file that cannot be cleaned stays and is counted, and no file is read
    * again for this reason. The first such file of each cause is logged as a warning.
    */
  private[file] final class Cleaner(files: SourceFiles, cleaning: CleanSource, faults: Faults) {
    private val done   = new AtomicLong()
    private val failed = new AtomicLong()
    private val warned = ConcurrentHashMap.newKeySet[String]()

    private val quarantine = cleaning match {
      case noted: CleanSource.DeleteNoted => Some(new Quarantine(noted.quarantine))
      case _                              => None
    }

    def cleanedFiles: Long = done.get()
    def failedFiles: Long  = failed.get()

    /** Whether any file is to be cleaned. */
    def isOn: Boolean = cleaning != CleanSource.Keep

    /** Cleans each file that has not changed since reading. */
    def clean(read: Iterator[SourceFile]): Vector[(SourceFile, Cleaned)] = {
      lazy val notes = quarantine.fold(Map.empty[String, Vector[String]])(_.byFile)
      read
        .grouped(AtOnce)
        .flatMap(Pooled.map(_, Threads, "stoplog-cleaning", _ => ())(file => file -> tried(file, notes)))
        .toVector
    }

    /** @param notes of omitted data */
    private def tried(file: SourceFile, notes: => Map[String, Vector[String]]): Cleaned =
      try {
        faults.at(Step.BeforeClean)
        // Before the look at the file: a program may replace the file while this thread reads the notes.
        val lacksBytes = quarantine.exists(_.lacksBytes(notes, files.describe(file.path), file))
        files.find(file.path).flatMap(_.file(file.path)) match {
          case Some(found) if found.isStill(file)            => stillThere(file, lacksBytes)
          case Some(found) if isReplaced(files, file, found) => Cleaned.Replaced
          case Some(found) if isAsListed(file, found)        => left(file, Cleaner.OtherId)
          case Some(_)                                       => left(file, Cleaner.Changed)
          case None                                          => Cleaned.Absent
        }
      } catch { case NonFatal(e) => left(file, reason(e)) }

    /** @param lacksBytes whether the notes lack omitted bytes of the file */
    private def stillThere(file: SourceFile, lacksBytes: Boolean): Cleaned =
      if (lacksBytes) left(file, Cleaner.Noted)
      else if (file.storedBytes.isDefined) left(file, Cleaner.Partial)
      else if (putAway(file)) {
        faults.at(Step.FileCleaned)
        done.incrementAndGet()
        Cleaned.Removed
      } else Cleaned.Absent

    private def left(file: SourceFile, why: String): Cleaned = {
      failed.incrementAndGet()
      if (warned.add(why))
        Log.warn(
          s"${files.describe(file.path)} was read, and stays where it is: $why. uncleanedFiles in the " +
            "query's progress counts such files; further files with this cause are not logged."
        )
      Cleaned.Left
    }

    private def reason(e: Throwable): String = e match {
      case known: StoplogException      => known.getCondition
      case refused: FileSystemException => OpenFailure.reason(refused)
      case other                        => Causes.reason(other)
    }

    /** Returns whether this call has removed the file. */
    private def putAway(file: SourceFile): Boolean = cleaning match {
      case CleanSource.Keep                                => false
      case CleanSource.Delete | _: CleanSource.DeleteNoted => files.delete(file.path)
      case CleanSource.Archive(directory)                  => archive(file, directory)
    }

    /** If the name exists in the archive, the archived name gets the time of the file. */
    private def archive(file: SourceFile, directory: String): Boolean = {
      val path = if (file.path.isEmpty) files.nameOf(file) else file.path
      ArchiveNames
        .of(path, file.modifiedMillis)
        .map(name => files.move(file.path, s"$directory/$name"))
        .find(_ != MoveOutcome.TargetTaken)
        .getOrElse(throw new IOException("the archive contains all its names")) == MoveOutcome.Moved
    }
  }

  private object Cleaner {
    final val Changed = "it has changed since it was read"
    final val OtherId = "its inode or file id has changed since it was read"
    final val Noted   = "omitted bytes of the file are in no quarantine note"
    final val Partial =
      "a valid-length file limits its bytes, and would limit the next file of this name without the file"
  }

  private final val AtOnce  = 1000
  private final val Threads = 8
}
