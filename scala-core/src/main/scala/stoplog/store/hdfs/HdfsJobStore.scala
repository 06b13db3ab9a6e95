// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hdfs

import java.io.{FileNotFoundException, IOException}

import scala.annotation.tailrec

import org.apache.hadoop.fs.{FileAlreadyExistsException, FileStatus, Path}

import stoplog.store.SetAside
import stoplog.store.hadoop.{HadoopFiles, HadoopJobStore, Renamed}

/** A batch job's own directory on HDFS, where moving a directory, and removing one with all that is in it, is one step.
  *
  * Therefore anybody may carry a decided job out beside its own driver. An entry goes aside once: its place is taken
  * from then on, and the same name under the path is what the job has published since. And the place for all of them
  * is the first thing to go when the job is over.
  */
final class HdfsJobStore(files: HadoopFiles, job: String) extends HadoopJobStore(files, job) {
  private val leases = new HdfsLeases(files)

  override def prepare(): Unit = files.writing(aside) {
    files.fileSystem.mkdirs(aside)
    ()
  }

  override def setsAsideOnce: Boolean = true

  override def setAside(entry: String): SetAside = files.writing(visible(entry)) {
    try attempt(entry)
    catch { case _: IOException if files.status(place(entry)).isDefined => SetAside.Done } // of another kind
  }

  override def remove(): Unit = {
    files.writing(aside)(files.fileSystem.delete(aside, true))
    super.remove()
  }

  override protected def mayBeOpen(there: Vector[FileStatus]): Boolean =
    there.exists(file => !leases.isClosed(file.getPath))

  @tailrec
  private def attempt(entry: String): SetAside = files.rename(visible(entry), place(entry)) match {
    case Renamed.Done | Renamed.TargetThere                 => SetAside.Done
    case Renamed.SourceGone                                 => taken(entry)
    case Renamed.NoDirectory if files.status(aside).isEmpty => SetAside.JobIsOver
    case Renamed.NoDirectory => attempt(entry) // the entry was gone, and came back
  }

  /** Takes the place of an entry that somebody has removed, lest a part that is published under its name be taken. */
  private def taken(entry: String): SetAside =
    try {
      files.createEmpty(place(entry))
      SetAside.Done
    } catch {
      case _: FileAlreadyExistsException                           => SetAside.Done
      case _: FileNotFoundException if files.status(aside).isEmpty => SetAside.JobIsOver
    }

  private def aside: Path                = files.at(replaced)
  private def place(entry: String): Path = files.at(s"$replaced/$entry")
}
