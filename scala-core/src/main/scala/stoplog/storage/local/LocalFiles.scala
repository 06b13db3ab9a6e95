// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{FileNotFoundException, IOException, UncheckedIOException}
import java.nio.file._
import java.nio.file.attribute.{BasicFileAttributes, FileTime}

import scala.jdk.CollectionConverters._
import scala.util.{Try, Using}

import stoplog.error.{Causes, Errors}
import stoplog.part.PathBelow
import stoplog.storage.{DirectoryId, DirectoryState, FileId, OpenFailure, OtherOwner}

/** Calls of `java.nio.file` in which a vanished file is not an error. */
private[local] object LocalFiles {

  /** Runs the action on `path`. Any rejection by the file system becomes `STOPLOG_STORE_WRITE`. */
  def writing[A](path: => Path)(action: => A): A =
    try action
    catch { case e: IOException => throw Errors.storeWrite(path.toString, reason(path, e), e) }

  /** Returns the reason of a failure, with the path only if the failure is at another path. */
  def reason(path: Path, e: IOException): String = e match {
    case other: FileSystemException if other.getFile != null && other.getFile != path.toString =>
      Causes.message(other)
    case _: FileSystemException | _: FileNotFoundException => OpenFailure.reason(e)
    case other                                             => Causes.message(other)
  }

  /** Returns a path below the sink's path. Error: `STOPLOG_PATH_ELSEWHERE` if the path would lead out of the
    * sink's path.
    */
  def below(root: String, path: String): Path = {
    PathBelow.problem(path).foreach(why => throw Errors.pathElsewhere(root, path, why))
    Paths.get(root).resolve(path)
  }

  /** Returns the attributes of the path; `None` if the file does not exist. Any other failure is an error,
    * because an unreadable file may exist.
    */
  def attributes(path: Path, links: LinkOption*): Option[BasicFileAttributes] =
    try Some(Files.readAttributes(path, classOf[BasicFileAttributes], links: _*))
    catch { case _: NoSuchFileException => None }

  /** Whether the file exists. Error: `IOException` if this cannot be determined. */
  def exists(path: Path): Boolean = OpenFailure.isThere(path)

  /** Whether the path exists, even as a link without a target: a relative link loses its target when the link
    * is moved. Error: `IOException` if this cannot be determined.
    */
  def isNamed(path: Path): Boolean = attributes(path, LinkOption.NOFOLLOW_LINKS).isDefined

  /** Returns the inode of a file. */
  def id(attributes: BasicFileAttributes): FileId = {
    val key = attributes.fileKey
    if (key == null) FileId.Unknown else FileId.of(() => inode(key))
  }

  /** Java exposes the inode only in the string form of the key: (dev=fe01,ino=1234). */
  private def inode(key: AnyRef): Long = {
    val text = key.toString
    val from = text.indexOf(Inode)
    if (from < 0) 0 else text.substring(from + Inode.length, text.length - 1).toLongOption.getOrElse(0)
  }

  private final val Inode = "ino="

  /** Whether the file has another hard link; `false` if the number of links is unknown. */
  def isShared(file: Path): Boolean =
    try Files.getAttribute(file, "unix:nlink").asInstanceOf[Int] > 1
    catch { case _: UnsupportedOperationException | _: IllegalArgumentException => false }

  /** Whether this process may not create names in the directory; `false` if the directory does not exist. One
    * system call: other jobs remove empty directories, possibly between two calls.
    */
  def refusesWrites(directory: Path): Boolean =
    try {
      directory.getFileSystem.provider.checkAccess(directory, AccessMode.WRITE)
      false
    } catch {
      case _: NoSuchFileException => false
      case _: IOException         => true
    }

  /** Whether files of the first directory can be renamed into the second, judged by the numbers of the file
    * systems.
    */
  def areOnOneFileSystem(one: Path, other: Path): Boolean = device(one) == device(other)

  /** Returns the file system of a directory, or of the nearest existing parent; `None` if the operating
    * system reports no number.
    */
  def device(directory: Path): Option[Long] =
    try
      Iterator.iterate(directory)(_.getParent).takeWhile(_ != null).flatMap(deviceOf).nextOption()
    catch { case _: UnsupportedOperationException | _: IllegalArgumentException => None }

  private def deviceOf(directory: Path): Option[Long] =
    try Some(Files.getAttribute(directory, "unix:dev").asInstanceOf[Long])
    catch { case _: NoSuchFileException => None }

  /** Returns the entries of a directory; empty if the directory does not exist. */
  def list(directory: Path): Vector[Path] =
    try Using.resource(Files.list(directory))(_.iterator().asScala.toVector)
    catch {
      case _: NoSuchFileException  => Vector.empty
      case e: UncheckedIOException => throw e.getCause
    }

  /** Compares the numbers of users, which are defined even in a container without user names. `None` if the
    * system does not expose numbers.
    */
  def otherOwner(file: Path): Option[OtherOwner] =
    for {
      owner <- userId(file)
      user  <- userId(Paths.get("/proc/self"))
      if owner != user
    } yield OtherOwner(userName(file), userName(Paths.get("/proc/self")))

  private def userId(file: Path): Option[Any] = Try(Files.getAttribute(file, "unix:uid"): Any).toOption

  private def userName(file: Path): String = Try(Files.getOwner(file).getName).getOrElse("an unnamed user")

  /** Returns the time and, if the file system has inodes, the inode of a directory. `None` if the
    * directory is absent.
    */
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

  /** `None` if the file has vanished. */
  def modifiedMillis(file: Path): Option[Long] =
    try Some(Files.getLastModifiedTime(file).toMillis)
    catch { case _: NoSuchFileException => None }

  /** Like [[deepestFirst]], for the path of a sink, which may be a link. The walk follows only this link, and
    * the result does not include the link.
    */
  def underRoot(root: Path)(enter: Path => Boolean): Vector[Path] =
    if (!Files.isSymbolicLink(root)) deepestFirst(root)(enter)
    else
      try {
        val real                   = root.toRealPath()
        def asWritten(found: Path) = root.resolve(real.relativize(found))
        deepestFirst(real)(found => enter(asWritten(found))).map(asWritten).filterNot(_ == root)
      } catch { case _: NoSuchFileException => Vector.empty }

  /** Returns all files and directories under `top`, including `top`, each after its entries.
    *
    * Other programs work under the same path, so vanished files are skipped without an error.
    *
    * @param enter whether to visit a directory
    */
  def deepestFirst(top: Path)(enter: Path => Boolean): Vector[Path] = {
    val found = Vector.newBuilder[Path]
    Files.walkFileTree(
      top,
      new SimpleFileVisitor[Path] {
        override def preVisitDirectory(directory: Path, attributes: BasicFileAttributes): FileVisitResult =
          if (enter(directory)) FileVisitResult.CONTINUE else FileVisitResult.SKIP_SUBTREE

        override def visitFile(file: Path, attributes: BasicFileAttributes): FileVisitResult = add(file)

        // Java opens a directory before the call of preVisitDirectory.
        override def visitFileFailed(file: Path, e: IOException): FileVisitResult =
          if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS) && !enter(file)) FileVisitResult.CONTINUE
          else unlessGone(e)

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
