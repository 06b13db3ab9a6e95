// SPDX-License-Identifier: Apache-2.0
package example

import java.io.{
  BufferedOutputStream, FileNotFoundException, FileOutputStream, IOException, InputStream, OutputStream
}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.{FileAlreadyExistsException, Files, LinkOption, NoSuchFileException}
import java.nio.file.attribute.BasicFileAttributes
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Using

import stoplog.storage._

/** The first seam of a storage: its files. A hard link and a rename are the steps that are done for one caller alone. */
final class FolderFiles(folder: Folder, sinkId: String) extends FileStore {
  override def capabilities: FileCapabilities =
    FileCapabilities(Moves.Atomically, directories = true)

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    names(directory)
      .filter(_.startsWith(prefix))
      .flatMap(name => info(FileStore.path(directory, name), NOFOLLOW_LINKS))
      .foreach(each)

  override def names(directory: String): Vector[String] = folder.io(directory) { at =>
    try Using.resource(Files.list(at))(_.iterator.asScala.map(_.getFileName.toString).toVector)
    catch { case _: NoSuchFileException => Vector.empty }
  }

  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = list(directory).flatMap {
    case file if !file.isDirectory  => Vector(file)
    case below if enter(below.path) => walk(below.path)(enter)
    case _                          => Vector.empty
  }

  override def stat(path: String): Option[FileInfo] = info(path)

  override def open(path: String): InputStream = folder.io(path) { at =>
    try Files.newInputStream(at)
    catch { case _: NoSuchFileException => throw new FileNotFoundException(at.toString) }
  }

  override def read(path: String): Option[Array[Byte]] =
    try Some(Using.resource(open(path))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }

  override def create(path: String)(content: OutputStream => Unit): Unit = folder.io(path) { at =>
    folder.make(at.getParent)
    Using.resource(new FileOutputStream(at.toFile)) { file =>
      val out = new BufferedOutputStream(file)
      content(out)
      out.flush()
      file.getFD.sync()
    }
    folder.force(at.getParent)
  }

  /** Writes a draft, and renames it. Recovery finds the draft of a crash among the unfinished parts. */
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = folder.io(path) {
    at =>
      val draft = s"${SinkDirectory(sinkId).open}/draft-${UUID.randomUUID()}"
      try {
        create(draft)(content)
        folder.make(at.getParent)
        Files.createLink(at, folder.at(draft))
        folder.force(at.getParent)
        PutOutcome.Created
      } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
      finally delete(Seq(draft))
  }

  override def mark(path: String): PutOutcome = folder.io(path) { at =>
    try {
      Files.createFile(at)
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  /** By a rename, which is done for one of several movers alone, after a look at the target, which a rename replaces.
    * `Files.move` without options would look at both paths by itself, and take a file that another mover has just moved,
    * and that it saw under both, for its own work.
    */
  override def move(from: String, to: String): MoveOutcome = folder.io(to) { target =>
    def gone = stat(from).isEmpty
    if (gone) MoveOutcome.SourceGone
    else
      try {
        folder.make(target.getParent)
        if (info(to, NOFOLLOW_LINKS).isDefined) if (gone) MoveOutcome.SourceGone else MoveOutcome.TargetTaken
        else {
          Files.move(folder.at(from), target, ATOMIC_MOVE)
          Seq(target, folder.at(from)).map(_.getParent).foreach(folder.force)
          MoveOutcome.Moved
        }
      } catch { case _: NoSuchFileException if gone => MoveOutcome.SourceGone }
  }

  override def duplicate(from: String, to: String): Unit = folder.io(to) { target =>
    folder.make(target.getParent)
    try Files.createLink(target, folder.at(from))
    catch { case _: FileAlreadyExistsException => () }
    folder.force(target.getParent)
  }

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => folder.io(path)(Files.deleteIfExists(_)))

  override def deleteTree(directory: String): Unit = {
    list(directory).foreach(entry =>
      if (entry.isDirectory) deleteTree(entry.path) else delete(Seq(entry.path))
    )
    delete(Seq(directory))
  }

  override def deleteEmpty(directory: String): Unit =
    try
      Iterator
        .iterate(folder.at(directory))(_.getParent)
        .takeWhile(_ != folder.at(""))
        .foreach(Files.deleteIfExists(_))
    catch { case _: IOException => () } // something is in it

  override def isClosed(path: String): Option[Boolean] = Some(true)

  override def describe(path: String): String = folder.at(path).toString

  private def info(path: String, links: LinkOption*): Option[FileInfo] = folder.io(path) { at =>
    try {
      val found = Files.readAttributes(at, classOf[BasicFileAttributes], links: _*)
      val kind  = if (found.isDirectory) FileInfo.Directory else FileInfo.File(found.size)
      val link  = Option.when(found.isSymbolicLink)(Link.Refused("it is a symbolic link"))
      Some(FileInfo(path, kind, Some(found.lastModifiedTime.toMillis), link))
    } catch { case _: NoSuchFileException => None }
  }
}
