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

  /** Where a file is the only place of bytes that were left out of its rows, it stays.
    *
    * @param quarantine the notes of what was left out
    */
  final class DeleteNoted(val quarantine: StateFiles) extends CleanSource

  /** It is moved below this directory, under the path that it has below the source's root; under its name if it is the
    * root itself.
    */
  final case class Archive(directory: String) extends CleanSource

  /** What became of a file that has been read. */
  private[file] sealed trait Cleaned
  private[file] object Cleaned {

    /** This call has removed it from its path. */
    case object Removed extends Cleaned

    /** Nothing is under its path: it may be on a disk that is away. */
    case object Absent extends Cleaned

    /** Another file has its path: a file that no micro-batch has read. */
    case object Replaced extends Cleaned

    /** It stays. */
    case object Left extends Cleaned
  }

  /** Puts away files that have been read. A file that cannot be put away stays, and is counted: nothing is read again for
    * it. The first one of each cause is a warning.
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

    /** Whether anything is to be done at all. */
    def isOn: Boolean = cleaning != CleanSource.Keep

    /** Puts away each file that is still the one that was read. */
    def clean(read: Iterator[SourceFile]): Vector[(SourceFile, Cleaned)] = {
      lazy val notes = quarantine.fold(Map.empty[String, Vector[String]])(_.byFile)
      read
        .grouped(AtOnce)
        .flatMap(Pooled.map(_, Threads, "stoplog-cleaning", _ => ())(file => file -> tried(file, notes)))
        .toVector
    }

    /** @param notes of what was left out */
    private def tried(file: SourceFile, notes: => Map[String, Vector[String]]): Cleaned =
      try {
        faults.at(Step.BeforeClean)
        files.find(file.path).flatMap(_.file(file.path)) match {
          case Some(found) if found.isStill(file)     => stillThere(file, notes)
          case Some(found) if isReplaced(file, found) => Cleaned.Replaced
          case Some(_)                                => left(file, Cleaner.Changed)
          case None                                   => Cleaned.Absent
        }
      } catch { case NonFatal(e) => left(file, reason(e)) }

    /** A file that is longer may be the one that was read: a program has added to it. An object store replaces files. */
    private def isReplaced(read: SourceFile, found: SourceFile): Boolean =
      found.id.isOther(read.id) || found.bytes < read.storedBytes.getOrElse(read.bytes) || !files.canAppend

    private def stillThere(file: SourceFile, notes: => Map[String, Vector[String]]): Cleaned =
      if (quarantine.exists(_.lacksBytes(notes, files.describe(file.path), file))) left(file, Cleaner.Noted)
      else if (putAway(file)) {
        faults.at(Step.FileCleaned)
        done.incrementAndGet()
        Cleaned.Removed
      } else Cleaned.Absent

    private def left(file: SourceFile, why: String): Cleaned = {
      failed.incrementAndGet()
      if (warned.add(why))
        Log.warn(
          s"${files.describe(file.path)} was read, and stays where it is: $why. uncleanedFiles in the query's progress " +
            "counts such files; others with this cause get no line in the log."
        )
      Cleaned.Left
    }

    private def reason(e: Throwable): String = e match {
      case known: StoplogException      => known.getCondition
      case refused: FileSystemException => OpenFailure.reason(refused)
      case other                        => Causes.reason(other)
    }

    /** Whether this call has removed it. */
    private def putAway(file: SourceFile): Boolean = cleaning match {
      case CleanSource.Keep                                => false
      case CleanSource.Delete | _: CleanSource.DeleteNoted => files.delete(file.path)
      case CleanSource.Archive(directory)                  => archive(file, directory)
    }

    /** A name that comes again gets the time of the file in the archive. */
    private def archive(file: SourceFile, directory: String): Boolean = {
      val path = if (file.path.isEmpty) files.nameOf(file) else file.path
      ArchiveNames
        .of(path, file.modifiedMillis)
        .map(name => files.move(file.path, s"$directory/$name"))
        .find(_ != MoveOutcome.TargetTaken)
        .getOrElse(throw new IOException("all names for it are taken in the archive")) == MoveOutcome.Moved
    }
  }

  private object Cleaner {
    final val Changed = "it has changed since it was read"
    final val Noted   = "bytes that were left out of its rows are in no note"
  }

  private final val AtOnce  = 1000
  private final val Threads = 8
}
