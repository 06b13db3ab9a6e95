// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.file._
import java.nio.file.attribute.{BasicFileAttributes, FileTime}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import stoplog.error.Errors
import stoplog.part.PathBelow
import stoplog.storage.{DirectoryId, DirectoryState, FileId, OpenFailure, OtherOwner}

/** Calls of `java.nio.file` in which a file that vanishes is no error. */
private[local] object LocalFiles {

  /** The action on `path`; whatever the file system refuses is `STOPLOG_STORE_WRITE`. */
  def writing[A](path: => Path)(action: => A): A =
    try action
    catch { case e: IOException => throw Errors.storeWrite(path.toString, String.valueOf(e.getMessage), e) }

  /** A path below the sink's path. Error: `STOPLOG_PATH_ELSEWHERE` when it would lead out of it. */
  def below(root: String, path: String): Path = {
    PathBelow.problem(path).foreach(why => throw Errors.pathElsewhere(root, path, why))
    Paths.get(root).resolve(path)
  }

  /** The attributes of the path; `None` when there is no such file. Any other obstacle to reading them is an error: a
    * file that cannot be seen may be there all the same.
    */
  def attributes(path: Path, links: LinkOption*): Option[BasicFileAttributes] =
    try Some(Files.readAttributes(path, classOf[BasicFileAttributes], links: _*))
    catch { case _: NoSuchFileException => None }

  /** Whether there is such a file. Error: `IOException` when that cannot be told. */
  def exists(path: Path): Boolean = OpenFailure.isThere(path)

  /** The inode of a file. */
  def id(attributes: BasicFileAttributes): FileId = {
    val key = attributes.fileKey
    if (key == null) FileId.Unknown else FileId.of(() => inode(key))
  }

  /** Java has the inode in the text of the key only: (dev=fe01,ino=1234). */
  private def inode(key: AnyRef): Long = {
    val text = key.toString
    val from = text.indexOf(Inode)
    if (from < 0) 0 else text.substring(from + Inode.length, text.length - 1).toLongOption.getOrElse(0)
  }

  private final val Inode = "ino="

  /** Whether the file has another name, a hard link; `false` where none is known of. */
  def isShared(file: Path): Boolean =
    try Files.getAttribute(file, "unix:nlink").asInstanceOf[Int] > 1
    catch { case _: UnsupportedOperationException | _: IllegalArgumentException => false }

  /** Whether a file of the one directory can be renamed into the other, as far as the numbers of their file systems tell. */
  def areOnOneFileSystem(one: Path, other: Path): Boolean = device(one) == device(other)

  /** The file system of a directory, or of the nearest one above it that is there; `None` where it has no number. */
  def device(directory: Path): Option[Long] =
    try
      Iterator.iterate(directory)(_.getParent).takeWhile(_ != null).flatMap(deviceOf).nextOption()
    catch { case _: UnsupportedOperationException | _: IllegalArgumentException => None }

  private def deviceOf(directory: Path): Option[Long] =
    try Some(Files.getAttribute(directory, "unix:dev").asInstanceOf[Long])
    catch { case _: NoSuchFileException => None }

  /** The entries of a directory; none when it is not there. */
  def list(directory: Path): Vector[Path] =
    try Using.resource(Files.list(directory))(_.iterator().asScala.toVector)
    catch { case _: NoSuchFileException => Vector.empty }

  /** By the numbers of users, which also a container without names has; `None` where the system does not show them. */
  def otherOwner(file: Path): Option[OtherOwner] =
    for {
      owner <- userId(file)
      user  <- userId(Paths.get("/proc/self"))
      if owner != user
    } yield OtherOwner(userName(file), userName(Paths.get("/proc/self")))

  private def userId(file: Path): Option[Any] = Try(Files.getAttribute(file, "unix:uid"): Any).toOption

  private def userName(file: Path): String = Try(Files.getOwner(file).getName).getOrElse("an unnamed user")

  /** The time and, where the file system has such numbers, the identity of a directory; `None` when it is absent. */
  def state(directory: Path): Option[DirectoryState] =
    try {
      val all = Files.readAttributes(directory, "unix:lastModifiedTime,ino,dev")
      val id  = DirectoryId(all.get("ino").asInstanceOf[Long], Some(all.get("dev").asInstanceOf[Long]))
      Some(DirectoryState(all.get("lastModifiedTime").asInstanceOf[FileTime].toMillis, Some(id)))
    } catch {
      case _: NoSuchFileException                                         => None
      case _: UnsupportedOperationException | _: IllegalArgumentException =>
        modifiedMillis(directory).map(DirectoryState(_, None))
    }

  /** `None` when the file has gone meanwhile. */
  def modifiedMillis(file: Path): Option[Long] =
    try Some(Files.getLastModifiedTime(file).toMillis)
    catch { case _: NoSuchFileException => None }

  /** All files and directories under `top`, itself included, each after its entries.
    *
    * Others work under the same path, so a file that vanishes meanwhile is left out and nothing fails.
    *
    * @param enter which directories to look into
    */
  def deepestFirst(top: Path)(enter: Path => Boolean): Vector[Path] = {
    val found = Vector.newBuilder[Path]
    Files.walkFileTree(
      top,
      new SimpleFileVisitor[Path] {
        override def preVisitDirectory(directory: Path, attributes: BasicFileAttributes): FileVisitResult =
          if (enter(directory)) FileVisitResult.CONTINUE else FileVisitResult.SKIP_SUBTREE

        override def visitFile(file: Path, attributes: BasicFileAttributes): FileVisitResult = add(file)

        override def visitFileFailed(file: Path, e: IOException): FileVisitResult = unlessGone(e)

        override def postVisitDirectory(directory: Path, e: IOException): FileVisitResult =
          if (e == null) add(directory) else unlessGone(e)
      }
    )
    def add(path: Path): FileVisitResult = {
      found += path
      FileVisitResult.CONTINUE
    }
    def unlessGone(e: IOException): FileVisitResult = e match {
      case _: NoSuchFileException => FileVisitResult.CONTINUE
      case other                  => throw other
    }
    found.result()
  }
}
