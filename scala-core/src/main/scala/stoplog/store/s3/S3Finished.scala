// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import java.io.EOFException

import stoplog.error.Errors
import stoplog.store.FinishedStore
import stoplog.store.hadoop.{HadoopFiles, HadoopFinished}

/** Finished parts on S3, where nothing can be renamed: a copy, and then a deletion.
  *
  * The copy goes through this process. S3A would let the server copy, but leaves an empty object where the last file of
  * a directory was, which readers without Hadoop take for data. And to delete at once, as an overwrite does, is no way
  * out: a merged part is an upload until it is visible, and buckets may have rules that end uploads.
  */
class S3Finished(files: HadoopFiles, sinkId: String) extends HadoopFinished(files, sinkId) {
  @transient private[s3] lazy val objects = new S3Objects(files)

  override def setAside(seq: Long, path: String): Unit = move(path, FinishedStore.place(sinkId, seq, path))

  override def putBack(seq: Long, path: String): Unit = {
    val isTaken = sizeBytes(path).isDefined
    FinishedStore.places(sinkId, seq, path).find(sizeBytes(_).isDefined).foreach { place =>
      if (isTaken)
        throw Errors.nameTaken(objects.describe(path), "another file is there, which is not this part")
      move(place, path)
    }
  }

  override def putBackLate(seq: Long, path: String): Unit = ()

  /** Object by object: there is no directory to be removed. */
  override def forget(seq: Long): Unit = {
    val directory = FinishedStore.directory(sinkId, seq)
    io(directory)(objects.delete(objects.list(directory).map { case (path, _) => path }))
  }

  /** An object is there whole or not at all, so this may be done again from any point. */
  private def move(from: String, to: String): Unit = io(from) {
    val bytes =
      try objects.read(from)
      catch { case _: EOFException => None } // somebody else was faster
    bytes.foreach { all =>
      objects.put(to, all)
      objects.delete(Seq(from))
    }
  }

  private def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)
}
