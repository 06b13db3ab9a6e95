// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import stoplog.log.PutOutcome
import stoplog.store.{Note, NoteStore}
import stoplog.store.hadoop.HadoopFiles

/** Small files for readers as objects, each made by one conditional PUT (I6). */
final class S3Notes(files: HadoopFiles) extends NoteStore with Serializable {
  private val objects = new S3Objects(files)

  /** The SDK asks again when an answer is lost, and is then told that the object is there: by its own first try. */
  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = io(path) {
    if (objects.putIfAbsent(path, bytes)) PutOutcome.Created else PutOutcome.Taken
  }

  override def read(path: String): Option[Array[Byte]] = io(path)(objects.read(path))

  /** What is in this directory alone, for a bucket may be the sink's path with all other buckets below it. */
  override def list(directory: String, prefix: String): Vector[Note] = io(directory) {
    files.list(files.at(directory)).filter(_.getPath.getName.startsWith(prefix)).map { file =>
      Note(files.relative(file.getPath), file.getModificationTime)
    }
  }

  override def delete(paths: Seq[String]): Unit = io(paths.headOption.getOrElse(""))(objects.delete(paths))

  private def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)
}
