// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import stoplog.store.{JobStore, SetAside}
import stoplog.store.hadoop.{HadoopFiles, HadoopJobStore}

/** A batch job's own directory `_stoplog/<job>` under a path on S3.
  *
  * What the job replaces is deleted when others would set it aside: on S3 a move is a copy of every byte, and the
  * record that says so has been written before.
  */
final class S3JobStore(files: HadoopFiles, job: String) extends HadoopJobStore(files, job) {
  private val objects = new S3Objects(files)

  override def setAside(entry: String): SetAside = io(entry) {
    objects.delete(under(JobStore.checked(files.root, entry)))
    SetAside.Done
  }

  /** The newest record goes last of all: whoever finds an older one would carry that out again. */
  override def remove(): Unit = io(own) {
    val (log, others) = under(own).partition(_.startsWith(s"$own/log/"))
    objects.delete(others)
    log.sorted.foreach(path => objects.delete(Seq(path)))
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
