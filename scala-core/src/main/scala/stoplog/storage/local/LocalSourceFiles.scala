// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{FileInputStream, FileNotFoundException, IOException, InputStream}
import java.net.URI
import java.nio.file._
import java.nio.file.attribute.BasicFileAttributes
import java.util.UUID

import scala.util.Using

import stoplog.fault.{Faults, Step}
import stoplog.storage.{Found, Link, SourceFile, SourceFiles}

/** Files of a local, or everywhere mounted, file system.
  *
  * @param named the paths below the root that the user named
  */
final class LocalSourceFiles(root: String, faults: Faults = Faults.none, named: Vector[String] = Vector(""))
    extends SourceFiles {
  private val links = new InputLinks(root, named)

  override def list(directory: String)(each: Found => Unit): Unit =
    try
      Using.resource(Files.newDirectoryStream(links.real(directory))) { entries =>
        val all = entries.iterator()
        while (all.hasNext) {
          val entry = all.next()
          found(entry, in(directory, entry.getFileName.toString)).foreach(each)
        }
      }
    catch {
      case _: NoSuchFileException | _: NotDirectoryException => ()
      case e: DirectoryIteratorException                     => throw e.getCause
    }

  override def find(path: String): Option[Found] = found(links.at(path), path)

  override def changedMillis(directory: String): Option[Long] = LocalFiles.modifiedMillis(links.at(directory))

  // Not a channel: those end with an interrupt.
  override def open(file: SourceFile, from: Long): InputStream = {
    val in = new FileInputStream(there(links.real(file.path)).toFile)
    try {
      if (from > 0) in.skipNBytes(from)
      in
    } catch {
      case e: IOException =>
        in.close()
        throw e
    }
  }

  override def delete(path: String): Unit =
    try Files.delete(links.unlinked(path))
    catch { case _: NoSuchFileException => () }

  /** A hard link, and then no more of the other name: a rename would replace what is there. */
  override def move(path: String, to: String): Unit = {
    val target = Paths.get(to)
    val file   = links.unlinked(path)
    Files.createDirectories(target.getParent)
    try Files.createLink(target, file)
    catch {
      case _: UnsupportedOperationException => copy(file, target)
      // A crash came between the two steps.
      case e: FileAlreadyExistsException => if (Files.mismatch(target, file) >= 0) throw e
    }
    faults.at(Step.MidArchive)
    delete(path)
  }

  override def describe(path: String): String = links.at(path).toString

  override def locate(path: String): URI = {
    try links.real(path) // the readers of this URI follow links
    catch { case _: NoSuchFileException => () }
    new URI("file", null, links.at(path).toString, null)
  }

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

  private def in(directory: String, name: String): String =
    if (directory.isEmpty) name else s"$directory/$name"

  private def there(real: => Path): Path =
    try real
    catch { case e: NoSuchFileException => throw new FileNotFoundException(e.getMessage) }

  /** The entry, if it is a file or a directory. Only for a link is more asked than what the entry itself says. */
  private def found(entry: Path, path: => String): Option[Found] =
    try {
      val name = Option(entry.getFileName).fold("")(_.toString)
      val what = Files.readAttributes(entry, classOf[BasicFileAttributes], LinkOption.NOFOLLOW_LINKS)
      if (what.isSymbolicLink) linked(name, entry, path) else kind(what).map(Found(name, _))
    } catch { case _: NoSuchFileException => None }

  private def linked(name: String, entry: Path, path: => String): Option[Found] =
    try {
      val real = entry.toRealPath()
      kind(Files.readAttributes(real, classOf[BasicFileAttributes])).map(Found(name, _, links.of(path, real)))
    } catch {
      case e: NoSuchFileException => throw e // as that which will be there some day
      case e: IOException         =>
        Some(Found(name, Found.File(0, 0), Some(Link.Refused(InputLinks.unresolved(e)))))
    }

  private def kind(what: BasicFileAttributes): Option[Found.Kind] =
    if (what.isDirectory) Some(Found.Directory)
    else Option.when(what.isRegularFile)(Found.File(what.size, what.lastModifiedTime.toMillis))
}
