// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import org.apache.hadoop.fs.{FileStatus, Path}

import stoplog.store.{JobStore, SetAside}

/** A batch job's own directory `_stoplog/<job>` under a path of a Hadoop file system. */
class HadoopJobStore(files: HadoopFiles, job: String) extends JobStore {
  protected val own: String = s"_stoplog/$job"

  /** Where what is set aside goes. */
  protected val replaced: String = s"$own/replaced"

  override def visible(): Vector[String] = files.writing(files.at("")) {
    files
      .list(files.at(""))
      .map(_.getPath.getName)
      .filter(JobStore.isVisible)
  }

  override def prepare(): Unit = ()

  /** Not every file system moves in one step. */
  override def setsAsideOnce: Boolean = false

  override def setAside(entry: String): SetAside = files.writing(visible(entry)) {
    files.renameInto(visible(entry), files.at(s"$replaced/$entry")) match {
      case Renamed.Done | Renamed.SourceGone         => SetAside.Done
      case Renamed.TargetThere | Renamed.NoDirectory =>
        throw new java.io.IOException(s"$replaced/$entry is taken")
    }
  }

  /** The newest record goes last of all files: whoever finds an older one would carry that out again. */
  override def remove(): Unit = files.writing(files.at(own)) {
    val (log, others) = files.list(files.at(own)).map(_.getPath).partition(_.getName == "log")
    others.foreach(files.fileSystem.delete(_, true))
    log.foreach { directory =>
      files.list(directory).map(_.getPath).sortBy(_.getName).foreach(files.delete)
      files.delete(directory)
    }
    files.delete(files.at(own))
  }

  override def untouchedSince(millis: Long): Boolean = files.writing(files.at(own)) {
    val there = files.filesUnder(files.at(own))(_ => true)
    there.forall(_.getModificationTime < millis) && !mayBeOpen(there)
  }

  /** Where an entry is that a record names. */
  protected final def visible(entry: String): Path = files.at(JobStore.checked(files.root, entry))

  /** Whether somebody may be writing one of the files, whose times may say when that began. Not once there is a
    * record.
    */
  protected def mayBeOpen(there: Vector[FileStatus]): Boolean =
    !there.exists(_.getPath.getParent.getName == "log")
}

object HadoopJobStore {

  /** The directories of batch jobs that are under the path, whose names begin with `prefix`. */
  def jobs(files: HadoopFiles, prefix: String): Vector[String] = files.writing(files.at("_stoplog")) {
    files.list(files.at("_stoplog")).map(_.getPath.getName).filter(_.startsWith(prefix))
  }
}
