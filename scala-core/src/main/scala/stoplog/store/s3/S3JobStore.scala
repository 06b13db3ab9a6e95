// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import stoplog.fault.{Faults, Step}
import stoplog.store.{FinishedStore, JobStore, VisibleFile}
import stoplog.store.hadoop.{HadoopFiles, HadoopJobStore}

/** A batch job's own directory `_stoplog/<job>` under a path on S3. */
final class S3JobStore(files: HadoopFiles, job: String) extends HadoopJobStore(files, job) {
  private val objects = new S3Objects(files)

  override val finished: FinishedStore = new S3Deleting(files, job)

  override def visible(): Vector[VisibleFile] = io("") {
    objects.list("").collect {
      case (path, file) if JobStore.isVisible(path.takeWhile(_ != '/')) =>
        VisibleFile(path, file.getLen, file.getModificationTime)
    }
  }

  /** There are no directories. */
  override def removeEmptied(directories: Seq[String]): Unit = ()

  override def remove(faults: Faults): Unit = io(own) {
    val (log, others) = under(own).partition(_.startsWith(s"$own/log/"))
    objects.delete(others)
    log.sorted.foreach { path =>
      objects.delete(Seq(path))
      faults.at(Step.MidRemove)
    }
  }

  /** Before there is a record, uploads may go on that are not listed here. */
  override def untouchedSince(millis: Long): Boolean = io(own) {
    val there = objects.list(own)
    there.exists { case (path, _) => path.startsWith(s"$own/log/") } &&
    there.forall { case (_, file) => file.getModificationTime < millis }
  }

  private def under(path: String): Vector[String] = objects.list(path).map { case (found, _) => found }

  private def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)
}
