// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.InputStream
import java.net.URI
import java.nio.file.FileAlreadyExistsException

import scala.util.control.NonFatal

import stoplog.error.Causes

/** The input of a source on any [[Storage]], by its [[FileStore]].
  *
  * @param storage the storage of the source's root
  * @param system  the storage of the directory `/`, which contains the root and the archive
  * @param root    the root, as an absolute path
  */
private[stoplog] final class StoredSourceFiles(storage: Storage, system: Storage, root: String)
    extends SourceFiles {
  @transient private lazy val files = storage.files(Storage.SourceId)
  @transient private lazy val all   = system.files(Storage.SourceId)

  override def list(directory: String)(each: Found => Unit): Unit =
    if (!isFile(directory)) files.visit(directory, prefix = "")(info => each(found(info)))

  override def find(path: String): Option[Found] = files.stat(path).map(found)

  override def open(file: SourceFile, from: Long): InputStream = {
    val in = files.open(file.path)
    try {
      if (from > 0) in.skipNBytes(from)
      in
    } catch { case e: Throwable => in.close(); throw e }
  }

  override def delete(path: String): Boolean = {
    val exists = files.exists(path)
    files.delete(Seq(path))
    exists
  }

  override def move(path: String, to: String): MoveOutcome = {
    val (file, target) = (fromTop(s"$root/$path"), fromTop(to))
    // The file would be taken for a copy of itself.
    if (file == target) throw new FileAlreadyExistsException(to)
    all.move(file, target)
  }

  override def moveProblem(to: String): Option[String] =
    try {
      val trial = FileStore.path(fromTop(to), HiddenNames.trial())
      all.create(trial)(_ => ())
      all.delete(Seq(trial))
      all.unmovable(Seq(fromTop(root)), fromTop(to)).map(directory => s"$directory is on another file system")
    } catch { case NonFatal(e) => Some(Causes.reason(e)) }

  override def describe(path: String): String = files.describe(path)

  override def locate(path: String): URI = storage.uri(path)

  /** Only the root may be a file: all other directories are from a listing. */
  private def isFile(directory: String): Boolean = directory.isEmpty && files.exists("")

  private def fromTop(path: String): String = path.split('/').filter(_.nonEmpty).mkString("/")

  private def found(info: FileInfo): Found = {
    val kind = info.kind match {
      case FileInfo.Directory   => Found.Directory
      case FileInfo.File(bytes) => Found.File(bytes, info.modifiedMillis.getOrElse(0))
    }
    Found(info.name, kind, info.link)
  }
}
