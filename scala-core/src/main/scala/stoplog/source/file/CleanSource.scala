// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.concurrent.atomic.AtomicLong

import scala.util.control.NonFatal

import stoplog.fault.{Faults, Step}
import stoplog.source.StateFiles
import stoplog.storage.{Found, SourceFile, SourceFiles}
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

  /** Puts away files that have been read. A file that cannot be put away stays, and is counted: nothing is read again for
    * it.
    */
  private[file] final class Cleaner(files: SourceFiles, cleaning: CleanSource, faults: Faults) {
    private val done   = new AtomicLong()
    private val failed = new AtomicLong()

    private val quarantine = cleaning match {
      case noted: CleanSource.DeleteNoted => Some(new Quarantine(noted.quarantine))
      case _                              => None
    }

    def cleanedFiles: Long = done.get()
    def failedFiles: Long  = failed.get()

    /** Whether anything is to be done at all. */
    def isOn: Boolean = cleaning != CleanSource.Keep

    /** Puts away each file that is still the one that was read. Returns the files that this call has removed: a file that
      * is absent may be on a disk that is away.
      */
    def clean(read: Iterator[SourceFile]): Vector[SourceFile] = {
      lazy val notes = quarantine.fold(Map.empty[String, Vector[String]])(_.byFile)
      read
        .grouped(AtOnce)
        .flatMap { group =>
          Pooled
            .map(group, Threads, "stoplog-cleaning", _ => ())(file => file -> tried(file, notes))
            .collect { case (file, true) => file }
        }
        .toVector
    }

    /** @param notes of what was left out */
    private def tried(file: SourceFile, notes: => Map[String, Vector[String]]): Boolean =
      try {
        faults.at(Step.BeforeClean)
        files.find(file.path).map(_.kind) match {
          case Some(found: Found.File) if found.isStill(file) =>
            val isWanted = quarantine.exists(_.lacksBytes(notes, files.describe(file.path), file))
            if (isWanted) failed.incrementAndGet()
            val isRemoved = !isWanted && putAway(file)
            if (isRemoved) {
              faults.at(Step.FileCleaned)
              done.incrementAndGet()
            }
            isRemoved
          case _ => false
        }
      } catch {
        case NonFatal(_) =>
          failed.incrementAndGet()
          false
      }

    private def putAway(file: SourceFile): Boolean = cleaning match {
      case CleanSource.Keep                                => false
      case CleanSource.Delete | _: CleanSource.DeleteNoted => files.delete(file.path)
      case CleanSource.Archive(directory)                  =>
        val below = if (file.path.isEmpty) files.nameOf(file) else file.path
        files.move(file.path, s"$directory/$below")
        true
    }
  }

  private final val AtOnce  = 1000
  private final val Threads = 8
}
