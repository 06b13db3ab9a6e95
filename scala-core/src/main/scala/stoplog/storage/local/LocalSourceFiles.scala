// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{FileInputStream, IOException, InputStream}
import java.net.URI
import java.nio.file.{FileStore => _, _}
import java.nio.file.attribute.BasicFileAttributes

import scala.util.Using

import stoplog.error.Errors
import stoplog.fault.{Faults, Step}
import stoplog.storage.{
  DirectoryId, DirectoryState, FileStore, Found, HiddenNames, Link, MoveOutcome, OpenFailure, SourceFile,
  SourceFiles
}

/** Files of a local file system, or of a file system mounted on all hosts.
  *
  * @param named the paths below the root given by the user
  */
private[stoplog] final class LocalSourceFiles(
    root: String,
    faults: Faults = Faults.none,
    named: Vector[String] = Vector("")
) extends SourceFiles {
  private val links = new LocalSourceFiles.InputLinks(root, named)

  override def list(directory: String)(each: Found => Unit): Unit = OpenFailure.naming(describe(directory)) {
    try
      Using.resource(Files.newDirectoryStream(links.real(directory))) { entries =>
        val all = entries.iterator()
        while (all.hasNext) {
          val entry = all.next()
          found(entry, FileStore.path(directory, entry.getFileName.toString)).foreach(each)
        }
      }
    catch {
      case _: NoSuchFileException | _: NotDirectoryException => ()
      case e: DirectoryIteratorException                     => throw e.getCause
    }
  }

  override def find(path: String): Option[Found] =
    OpenFailure.naming(describe(path))(found(links.at(path), path))

  override def looksAreLocal: Boolean = true

  override def state(directory: String): Option[DirectoryState] = LocalFiles.state(links.at(directory))

  // Opens a stream, because an interrupt would close a channel.
  override def open(file: SourceFile, from: Long): InputStream = {
    val in = OpenFailure.opening(describe(file.path))(LocalFiles.exists(links.at(file.path))) {
      new FileInputStream(links.real(file.path).toFile)
    }
    try {
      if (from > 0) in.skipNBytes(from)
      in
    } catch {
      case e: IOException =>
        in.close()
        throw e
    }
  }

  override def delete(path: String): Boolean =
    try {
      Files.delete(links.unlinked(path))
      true
    } catch { case _: NoSuchFileException => false }

  override def move(path: String, to: String): MoveOutcome = {
    val target = Paths.get(to)
    try {
      val file = links.unlinked(path)
      LocalForcing.creatingIn(target.getParent, LocalForcing.Process) {
        // The file would be taken for a copy of itself.
        if (target.getParent.toRealPath().resolve(target.getFileName) == file)
          throw new FileAlreadyExistsException(target.toString)
        Relocation.byLink.move(file, target)(faults.at(Step.MidArchive)) {
          delete(path)
          ()
        }
      }
    } catch { case _: NoSuchFileException if !LocalFiles.isNamed(links.at(path)) => MoveOutcome.SourceGone }
  }

  override def moveProblem(to: String): Option[String] =
    try {
      val target = Files.createDirectories(Paths.get(to))
      Files.delete(Files.createFile(target.resolve(HiddenNames.trial())))
      named.map(links.at).map(directory).flatMap(problem(_, target)).headOption
    } catch { case e: IOException => Some(OpenFailure.reason(e)) }

  /** A subdirectory may be a mount point on the target's file system. */
  private def problem(from: Path, target: Path): Option[String] =
    Relocation.problem(from, target).filterNot { _ =>
      LocalFiles.list(from).filter(Files.isDirectory(_)).exists(Relocation.problem(_, target).isEmpty)
    }

  private def directory(named: Path): Path = if (Files.isRegularFile(named)) named.getParent else named

  override def describe(path: String): String = links.at(path).toString

  override def locate(path: String): URI = {
    try links.real(path) // the readers of this URI follow links
    catch { case _: NoSuchFileException => () }
    new URI("file", null, links.at(path).toString, null)
  }

  /** Returns the entry, if the entry is a file or a directory. Only links need more calls than the entry's
    * own attributes.
    */
  private def found(entry: Path, path: => String): Option[Found] =
    try {
      val name = Option(entry.getFileName).fold("")(_.toString)
      val what = Files.readAttributes(entry, classOf[BasicFileAttributes], LinkOption.NOFOLLOW_LINKS)
      if (what.isSymbolicLink) linked(name, entry, path)
      else kind(what).map(Found(name, _, None, id(entry, what), LocalFiles.id(what)))
    } catch { case _: NoSuchFileException => None }

  private def linked(name: String, entry: Path, path: => String): Option[Found] =
    try {
      val real = entry.toRealPath()
      val what = Files.readAttributes(real, classOf[BasicFileAttributes])
      kind(what).map(Found(name, _, links.of(path, real), id(real, what)))
    } catch {
      case e: NoSuchFileException => throw e // such as a target to be created later
      case e: IOException if OpenFailure.refusedBy(e).exists(_ != OpenFailure.NotPermitted) => throw e
      case e: IOException                                                                   =>
        Some(Found(name, Found.File(0, 0), Some(Link.Refused(LocalSourceFiles.unresolved(e)))))
    }

  private def id(entry: Path, what: BasicFileAttributes): Option[DirectoryId] =
    if (what.isDirectory) LocalFiles.state(entry).flatMap(_.id) else None

  private def kind(what: BasicFileAttributes): Option[Found.Kind] =
    if (what.isDirectory) Some(Found.Directory)
    else Option.when(what.isRegularFile)(Found.File(what.size, what.lastModifiedTime.toMillis))
}

private object LocalSourceFiles {

  /** The targets of links in the input of a source. Links are followed as long as the target is below the
    * source's paths. So a user who may create links there cannot make the source read files that the user
    * could not put there.
    *
    * Each path is checked immediately before use, because the path may have changed since the listing.
    *
    * @param named the paths below the root given by the user; each may be a link
    */
  private final class InputLinks(root: String, named: Vector[String]) extends Serializable {

    def at(path: String): Path = if (path.isEmpty) Paths.get(root) else Paths.get(root, path)

    /** Returns the target of a path that ends with a link; `None` if the path is the real path, below another
      * given path.
      */
    def of(path: String, real: Path): Option[Link] = earlier(path, real).orElse(home(path, real)) match {
      case Some(`path`) => None
      case Some(other)  => Some(Link.Below(other))
      case None         => Some(Link.Refused(outside(real)))
    }

    /** Returns the real path below another given path, if `path` is a given path, too. The target is read
      * there. Of two links to one target, the first counts.
      */
    private def earlier(path: String, real: Path): Option[String] = {
      val (before, after) = named.filterNot(isAbove(path, _)).span(_ != path)
      val noLinks         = after.drop(1).filterNot(name => name.nonEmpty && Files.isSymbolicLink(at(name)))
      (before ++ noLinks).iterator.flatMap(below(_, real)).nextOption().filter(_ => after.nonEmpty)
    }

    /** Returns the path without links. Errors: `NoSuchFileException`, `STOPLOG_SOURCE_LINK`. */
    def real(path: String): Path = {
      val real = followed(path)
      if (home(path, real).isEmpty) throw Errors.sourceLink(at(path).toString, outside(real))
      real
    }

    /** Returns the path of a file to be changed: no link may lead to the file. */
    def unlinked(path: String): Path = {
      val real = followed(path)
      if (!home(path, real).contains(path))
        throw Errors.sourceLink(
          at(path).toString,
          "the source does not archive or delete a file through a link"
        )
      real
    }

    private def followed(path: String): Path =
      try at(path).toRealPath()
      catch {
        case e: NoSuchFileException => throw e
        case e: IOException         =>
          throw OpenFailure
            .refusedBy(e)
            .fold(Errors.sourceLink(at(path).toString, unresolved(e)))(_.toError(at(path).toString, e))
      }

    private def outside(real: Path): String =
      s"it points to $real, which is not below the paths of the source"

    /** Returns the real path below the root, through a path given by the user. Prefers the given paths above
      * `path`.
      */
    private def home(path: String, real: Path): Option[String] =
      if (named.exists(isAbove(path, _))) Some(path)
      else {
        val (over, others) = named.partition(name => name == path || isAbove(name, path))
        (over.iterator ++ others).flatMap(below(_, real)).nextOption()
      }

    private def below(name: String, real: Path): Option[String] =
      try {
        val top = at(name).toRealPath()
        Option.when(real.startsWith(top))(
          Seq(name, top.relativize(real).toString).filter(_.nonEmpty).mkString("/")
        )
      } catch { case _: NoSuchFileException => None }

    private def isAbove(path: String, other: String): Boolean =
      path != other && (path.isEmpty || other.startsWith(s"$path/"))
  }

  /** Returns why a link cannot be followed. */
  def unresolved(e: IOException): String = s"it cannot be followed (${OpenFailure.reason(e)})"
}
