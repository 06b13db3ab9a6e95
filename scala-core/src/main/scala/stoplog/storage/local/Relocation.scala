// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.file._
import java.nio.file.attribute.BasicFileAttributes

import stoplog.storage.{HiddenNames, MoveOutcome, OpenFailure}

/** Moves files of other programs and never replaces a file.
  *
  * A hard link creates the new name, and fails if the name exists. Some file systems have no hard links, and
  * Linux rejects links to files of other users (`fs.protected_hardlinks`). In these cases an empty file
  * claims the new name first, and a rename replaces the empty file.
  */
private[local] final class Relocation(link: (Path, Path) => Unit) {

  /** If another program renames a file over the old name after the link, that file stays, because no
    * micro-batch has read the file.
    *
    * @param linked called while the file has both names
    * @param remove deletes the old name
    */
  def move(file: Path, target: Path)(linked: => Unit)(remove: => Unit): MoveOutcome =
    try {
      val moved = key(file)
      link(target, file)
      linked
      completed(target)(if (hasKey(file, moved)) remove)
    } catch {
      case _: FileAlreadyExistsException                             => taken(file, target)(remove)
      case _: NoSuchFileException if !LocalFiles.exists(file)        => MoveOutcome.SourceGone
      case _: UnsupportedOperationException | _: FileSystemException => renamed(file, target)(remove)
    }

  /** If the old name cannot be removed, deletes the link: a link to a remaining file is not an archived file.
    */
  private def completed(target: Path)(remove: => Unit): MoveOutcome =
    try {
      remove
      MoveOutcome.Moved
    } catch {
      case e: IOException =>
        Files.deleteIfExists(target)
        throw new IOException(s"the old name cannot be removed: ${OpenFailure.reason(e)}", e)
    }

  /** If both names belong to one file, a crash happened between the link and the removal. */
  private def taken(file: Path, target: Path)(remove: => Unit): MoveOutcome =
    if (!LocalFiles.exists(file)) MoveOutcome.SourceGone
    else if (Files.isSameFile(target, file)) {
      remove
      MoveOutcome.Moved
    } else MoveOutcome.TargetTaken

  private def renamed(file: Path, target: Path)(remove: => Unit): MoveOutcome =
    try {
      val placeholder = key(Files.createFile(target))
      try {
        Files.move(file, target, StandardCopyOption.ATOMIC_MOVE)
        MoveOutcome.Moved
      } catch {
        case e: IOException =>
          // A file server may report a failure of a rename that has succeeded.
          if (placeholder != null && placeholder == key(target)) Files.delete(target)
          throw e
      }
    } catch {
      case _: FileAlreadyExistsException                      => taken(file, target)(remove)
      case _: NoSuchFileException if !LocalFiles.exists(file) => MoveOutcome.SourceGone
      case _: AtomicMoveNotSupportedException                 =>
        throw new IOException(Relocation.elsewhere(file.getParent, target.getParent))
    }

  /** Looks only at the old name, because a program may already have taken the file out of the archive. */
  private def hasKey(file: Path, moved: AnyRef): Boolean =
    LocalFiles.attributes(file).exists(_.fileKey() == moved)

  private def key(path: Path): AnyRef = Files.readAttributes(path, classOf[BasicFileAttributes]).fileKey()
}

private[local] object Relocation {
  val byLink: Relocation = new Relocation((target, file) => {
    Files.createLink(target, file)
    ()
  })

  /** Returns why no file can be moved from one directory to the other. Tries to rename a name that does not
    * exist, because the operating system checks the mounted file systems first. So no file appears among
    * files of other programs.
    */
  def problem(from: Path, to: Path): Option[String] = {
    val name = HiddenNames.trial()
    try {
      Files.move(from.resolve(name), to.resolve(name), StandardCopyOption.ATOMIC_MOVE)
      None
    } catch {
      case _: NoSuchFileException             => None
      case _: AtomicMoveNotSupportedException => Some(elsewhere(from, to))
      case e: IOException                     => Some(OpenFailure.reason(e))
    }
  }

  private def elsewhere(from: Path, to: Path): String =
    s"$from and $to are on two mounted file systems (disks, volumes or bind mounts), and a file cannot be " +
      "renamed from one to the other"
}
