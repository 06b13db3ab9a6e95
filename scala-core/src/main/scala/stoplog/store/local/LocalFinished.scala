// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.nio.file.{FileAlreadyExistsException, FileSystemException, Files, NoSuchFileException, Path}

import stoplog.error.Errors
import stoplog.store.FinishedStore

/** Finished parts on a local, or everywhere mounted, file system. Setting one aside is a rename. */
final class LocalFinished(root: String, sinkId: String, durability: Durability)
    extends FinishedStore
    with Serializable {

  override def sizeBytes(path: String): Option[Long] =
    LocalFiles.writing(at(path))(LocalFiles.attributes(at(path)).map(_.size))

  override def setAside(seq: Long, path: String): Unit = LocalFiles.writing(at(path)) {
    if (LocalFiles.exists(at(path))) {
      val place = at(FinishedStore.place(sinkId, seq, path))
      Durability.createDirectories(place.getParent, durability)
      move(at(path), place)
    }
  }

  override def putBack(seq: Long, path: String): Unit = LocalFiles.writing(at(path)) {
    val back = at(path)
    FinishedStore.places(sinkId, seq, path).map(at).find(LocalFiles.exists).foreach { place =>
      Durability.createDirectories(back.getParent, durability)
      move(place, back)
    }
  }

  override def putBackLate(seq: Long, path: String): Unit = putBack(seq, path)

  /** A second name where the file system has such, since finished parts never change (I6). */
  override def keep(path: String, as: String): Unit = LocalFiles.writing(at(as)) {
    Durability.createDirectories(at(as).getParent, durability)
    try Files.createLink(at(as), at(path))
    catch {
      case _: FileAlreadyExistsException                             => at(as)
      case _: UnsupportedOperationException | _: FileSystemException =>
        if (!LocalFiles.exists(at(as))) Files.copy(at(path), at(as)) else at(as)
    }
    durability.syncDirectory(at(as).getParent)
  }

  override def forget(seq: Long): Unit = {
    val directory = at(FinishedStore.directory(sinkId, seq))
    LocalFiles.writing(directory) {
      LocalFiles.deepestFirst(directory)(_ => true).foreach(Files.deleteIfExists(_))
    }
  }

  override def setAsideFor(): Vector[Long] = {
    val directory = at(FinishedStore.root(sinkId))
    LocalFiles.writing(directory)(LocalFiles.list(directory)).flatMap(_.getFileName.toString.toLongOption)
  }

  /** Never over another file. Somebody else may be faster. */
  private def move(from: Path, to: Path): Unit =
    try {
      Files.move(from, to)
      durability.syncDirectory(to.getParent)
      durability.syncDirectory(from.getParent)
    } catch {
      case _: NoSuchFileException | _: FileAlreadyExistsException if !LocalFiles.exists(from) => ()
      case _: FileAlreadyExistsException                                                      =>
        throw Errors.nameTaken(to.toString, "another file is there, which is not this part")
    }

  private def at(path: String): Path = LocalFiles.below(root, path)
}
