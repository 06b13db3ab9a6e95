// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.{FileInputStream, IOException, InputStream}
import java.net.URI
import java.nio.file._
import java.nio.file.attribute.BasicFileAttributes
import java.util.UUID

import scala.util.Using

import stoplog.fault.{Faults, Step}
import stoplog.source.file.{Found, SourceFile, SourceFiles}

/** Files of a local, or everywhere mounted, file system. */
final class LocalSourceFiles(root: String, faults: Faults = Faults.none) extends SourceFiles {

  override def list(directory: String)(each: Found => Unit): Unit =
    try
      Using.resource(Files.newDirectoryStream(at(directory))) { entries =>
        val all = entries.iterator()
        while (all.hasNext) found(all.next()).foreach(each)
      }
    catch {
      case _: NoSuchFileException | _: NotDirectoryException => ()
      case e: DirectoryIteratorException                     => throw e.getCause
    }

  override def find(path: String): Option[Found] = found(at(path))

  override def changedMillis(directory: String): Option[Long] = LocalFiles.modifiedMillis(at(directory))

  // Not a channel: those end with an interrupt.
  override def open(file: SourceFile, from: Long): InputStream = {
    val in = new FileInputStream(at(file.path).toFile)
    try {
      if (from > 0) in.skipNBytes(from)
      in
    } catch {
      case e: IOException =>
        in.close()
        throw e
    }
  }

  override def delete(path: String): Unit = {
    Files.deleteIfExists(at(path))
    ()
  }

  /** A hard link, and then no more of the other name: a rename would replace what is there. */
  override def move(path: String, to: String): Unit = {
    val target = Paths.get(to)
    Files.createDirectories(target.getParent)
    try Files.createLink(target, at(path))
    catch {
      case _: UnsupportedOperationException => copy(at(path), target)
      // A crash came between the two steps.
      case e: FileAlreadyExistsException => if (Files.mismatch(target, at(path)) >= 0) throw e
    }
    faults.at(Step.MidArchive)
    delete(path)
  }

  override def describe(path: String): String = at(path).toString

  override def locate(path: String): URI = new URI("file", null, at(path).toString, null)

  /** Whole or not at all, in its time. */
  private def copy(from: Path, to: Path): Unit = {
    val copied = to.resolveSibling(s".${to.getFileName}.${UUID.randomUUID()}")
    try {
      Files.copy(from, copied, StandardCopyOption.COPY_ATTRIBUTES)
      Files.move(copied, to)
    } catch {
      case e: FileAlreadyExistsException => if (Files.mismatch(to, from) >= 0) throw e
    } finally Files.deleteIfExists(copied)
    ()
  }

  private def at(path: String): Path = if (path.isEmpty) Paths.get(root) else Paths.get(root, path)

  /** A link is what it leads to. What is neither a file nor a directory is not there. */
  private def found(path: Path): Option[Found] =
    try {
      val what = Files.readAttributes(path, classOf[BasicFileAttributes])
      val name = Option(path.getFileName).fold("")(_.toString)
      if (what.isDirectory) Some(Found(name, Found.Directory))
      else
        Option.when(what.isRegularFile)(
          Found(name, Found.File(what.size, what.lastModifiedTime.toMillis))
        )
    } catch { case _: NoSuchFileException => None }
}
