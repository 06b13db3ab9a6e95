// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{Files, Path, Paths}

import stoplog.log.PutOutcome
import stoplog.store.{Note, NoteStore}

/** Small files for readers on a local file system. */
final class LocalNotes(root: String, sinkId: String, durability: Durability)
    extends NoteStore
    with Serializable {
  @transient private lazy val once = new LocalOnce(Paths.get(root, "_stoplog", sinkId, "open"), durability)

  override def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome =
    once.create(at(path), "note", bytes)(())

  override def read(path: String): Option[Array[Byte]] = once.read(at(path))

  override def list(directory: String, prefix: String): Vector[Note] = LocalFiles.writing(at(directory)) {
    LocalFiles.list(at(directory)).map(_.getFileName.toString).filter(_.startsWith(prefix)).flatMap { name =>
      val path = NoteStore.path(directory, name)
      LocalFiles.modifiedMillis(at(path)).map(Note(path, _))
    }
  }

  override def delete(paths: Seq[String]): Unit = paths.foreach { path =>
    LocalFiles.writing(at(path))(Files.deleteIfExists(at(path)))
  }

  private def at(path: String): Path = LocalFiles.below(root, path)
}
