// SPDX-License-Identifier: Apache-2.0
package stoplog.store.hadoop

import java.io.IOException

import org.apache.hadoop.fs.{FileStatus, Path}

import stoplog.fault.{Faults, Step}
import stoplog.store.{FinishedStore, JobStore, VisibleFile}

/** A batch job's own directory `_stoplog/<job>` under a path of a Hadoop file system. */
class HadoopJobStore(files: HadoopFiles, job: String) extends JobStore {
  protected val own: String = s"_stoplog/$job"

  override val finished: FinishedStore = new HadoopFinished(files, job)

  override def visible(): Vector[VisibleFile] = files.writing(files.at("")) {
    files.list(files.at("")).filter(entry => JobStore.isVisible(entry.getPath.getName)).flatMap { entry =>
      val found = if (entry.isDirectory) files.filesUnder(entry.getPath)(_ => true) else Vector(entry)
      found.map(file => VisibleFile(files.relative(file.getPath), file.getLen, file.getModificationTime))
    }
  }

  override def removeEmptied(directories: Seq[String]): Unit =
    directories.filter(_.nonEmpty).distinct.foreach { directory =>
      try files.deleteIfEmpty(files.at(directory), files.at(""))
      catch { case _: IOException => () }
    }

  override def remove(faults: Faults): Unit = files.writing(files.at(own)) {
    def delete(path: Path, all: Boolean): Unit = {
      files.fileSystem.delete(path, all)
      faults.at(Step.MidRemove)
    }
    val (log, others) = files.list(files.at(own)).map(_.getPath).partition(_.getName == "log")
    others.foreach(delete(_, all = true))
    log.foreach(files.list(_).map(_.getPath).sortBy(_.getName).foreach(delete(_, all = false)))
    delete(files.at(own), all = true) // another job may have kept this one from deciding anything since
  }

  override def untouchedSince(millis: Long): Boolean = files.writing(files.at(own)) {
    val there = files.filesUnder(files.at(own))(_ => true)
    there.forall(_.getModificationTime < millis) && !mayBeOpen(there)
  }

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
