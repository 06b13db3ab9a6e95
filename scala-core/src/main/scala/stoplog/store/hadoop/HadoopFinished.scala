// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import java.io.IOException

import org.apache.hadoop.fs.{FileUtil, Path}

import stoplog.error.Errors
import stoplog.store.FinishedStore

/** Finished parts on a Hadoop file system. Setting one aside is a rename. */
class HadoopFinished(files: HadoopFiles, sinkId: String) extends FinishedStore with Serializable {

  override def sizeBytes(path: String): Option[Long] =
    files.writing(files.at(path))(files.status(files.at(path)).map(_.getLen))

  override def setAside(seq: Long, path: String): Unit = {
    val (from, to) = (files.at(path), place(seq, path))
    move(from, to) {
      // A rename that copies has died on its way: after the copy, or in the middle of it.
      if (HadoopPrefix.same(files, from, to)) files.delete(from)
      else {
        files.delete(to)
        files.renameInto(from, to): Unit
      }
    }
  }

  override def putBack(seq: Long, path: String): Unit =
    FinishedStore.places(sinkId, seq, path).foreach { place =>
      move(files.at(place), files.at(path)) {
        throw Errors.nameTaken(path, "another file is there, which is not this part")
      }
    }

  override def putBackLate(seq: Long, path: String): Unit = files.renaming match {
    case Renaming.Atomic  => putBack(seq, path)
    case Renaming.Checked => ()
  }

  /** A copy through this process. One that died half-way is made again. */
  override def keep(path: String, as: String): Unit = {
    val (from, to) = (files.at(path), files.at(as))
    files.writing(to) {
      if (!files.status(to).map(_.getLen).contains(files.fileSystem.getFileStatus(from).getLen))
        if (
          !FileUtil.copy(files.fileSystem, from, files.fileSystem, to, false, true, files.fileSystem.getConf)
        )
          throw new IOException(s"$from could not be copied to $to")
    }
  }

  override def forget(seq: Long): Unit = {
    val directory = files.at(FinishedStore.directory(sinkId, seq))
    files.writing(directory) {
      files.fileSystem.delete(directory, true)
      ()
    }
  }

  override def setAsideFor(): Vector[Long] = {
    val directory = files.at(FinishedStore.root(sinkId))
    files.writing(directory)(files.list(directory)).flatMap(_.getPath.getName.toLongOption)
  }

  private def move(from: Path, to: Path)(taken: => Unit): Unit = files.writing(from) {
    try
      if (files.status(from).isDefined) files.renameInto(from, to) match {
        case Renamed.Done | Renamed.SourceGone => ()
        case Renamed.TargetThere               => taken
        case Renamed.NoDirectory               => throw new IOException(s"$from could not be renamed to $to")
      }
    catch { case _: IOException if files.status(from).isEmpty => () } // somebody else was faster
  }

  private def place(seq: Long, path: String): Path = files.at(FinishedStore.place(sinkId, seq, path))
}
