// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io._
import java.nio.file.{FileSystemException, Files, LinkOption, Path, Paths, StandardCopyOption}
import java.nio.file.{DirectoryNotEmptyException, FileAlreadyExistsException, NoSuchFileException}
import java.util.UUID

import scala.annotation.tailrec
import scala.util.Using

import stoplog.error.Errors
import stoplog.storage._

/** Files of a local file system, or of a file system mounted on all hosts.
  *
  * @param drafts the directory, on the same volume, where files are written before [[createIfAbsent]] links
  *   the files to the final path. The sweeper deletes drafts left by a crash. `None` means the directory of
  *   each file
  */
private[stoplog] final class LocalFileStore(root: String, drafts: Option[String], durability: LocalForcing)
    extends FileStore {

  override val capabilities: FileCapabilities =
    FileCapabilities(Moves.Atomically, directories = true, durability.survived)

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit =
    visitOnly(directory)(_.startsWith(prefix))(each)

  /** Reads the attributes of the wanted entries only: one system call for each entry. */
  override def listOnly(directory: String)(isWanted: String => Boolean): Vector[FileInfo] = {
    val found = Vector.newBuilder[FileInfo]
    visitOnly(directory)(isWanted)(found += _)
    found.result()
  }

  override def names(directory: String): Vector[String] = io(directory) {
    LocalFiles.list(at(directory)).map(_.getFileName.toString)
  }

  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = io(directory) {
    val top                = at(directory)
    def enters(path: Path) = path == top || enter(relative(path))
    val found              =
      if (directory.isEmpty) LocalFiles.underRoot(top)(enters) else LocalFiles.deepestFirst(top)(enters)
    found
      .flatMap(path => info(relative(path), path, LinkOption.NOFOLLOW_LINKS))
      .filter(_.isFile)
  }

  /** Follows links. A file that cannot be checked is an error and does not count as absent. */
  override def stat(path: String): Option[FileInfo] = io(path)(info(path, at(path)))

  override def link(path: String): Option[Link] =
    io(path)(info(path, at(path), LinkOption.NOFOLLOW_LINKS).flatMap(_.link))

  override def open(path: String): InputStream = io(path)(new BufferedInputStream(opened(path), BufferBytes))

  override def read(path: String): Option[Array[Byte]] = io(path) {
    try Some(Using.resource(opened(path))(_.readAllBytes()))
    catch { case _: FileNotFoundException => None }
  }

  override def create(path: String)(content: OutputStream => Unit): Unit = io(path) {
    write(at(path))(content)
    durability.syncAround(at(path))
  }

  /** Writes a draft first and links the draft to the target, which is one step and never replaces a file. */
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = io(path) {
    val target = at(path)
    val draft  = drafts.fold(target.getParent)(at).resolve(s".${target.getFileName}.${UUID.randomUUID()}")
    LocalForcing.createDirectories(draft.getParent, durability)
    try {
      write(draft)(content)
      val device = LocalFiles.device(draft)
      LocalForcing.creatingIn(target.getParent, durability)(Files.createLink(target, draft))
      durability.syncAround(target, device)
      PutOutcome.Created
    } catch {
      case _: FileAlreadyExistsException => PutOutcome.Taken
    } finally Files.deleteIfExists(draft)
  }

  override def mark(path: String): PutOutcome = io(path) {
    try {
      Files.createFile(at(path))
      PutOutcome.Created
    } catch { case _: FileAlreadyExistsException => PutOutcome.Taken }
  }

  override def unmovable(directories: Seq[String], to: String): Option[String] = io(to) {
    val target = LocalFiles.device(at(to).getParent)
    directories.map(at).zip(directories).collectFirst {
      case (path, directory)
          if LocalFiles.exists(path) && LocalFiles.device(path) != target || LocalFiles.refusesWrites(path) =>
        directory
    }
  }

  /** Moves by a rename, which succeeds for exactly one of several movers. `Files.move` without options checks
    * both paths first: if another mover has just moved the file and both paths show one file, `Files.move`
    * would report success here, too.
    */
  override def move(from: String, to: String): MoveOutcome = io(from) {
    val (source, target) = (at(from), at(to))
    try
      if (!LocalFiles.isNamed(source)) MoveOutcome.SourceGone
      else {
        val outcome = LocalForcing.creatingIn(target.getParent, durability) {
          if (LocalFiles.isNamed(target)) taken(source, target)
          else {
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE)
            MoveOutcome.Moved
          }
        }
        if (outcome == MoveOutcome.Moved) Seq(target, source).foreach(durability.syncAround)
        outcome
      }
    catch { case _: NoSuchFileException if !LocalFiles.isNamed(source) => MoveOutcome.SourceGone }
  }

  private def visitOnly(directory: String)(isWanted: String => Boolean)(each: FileInfo => Unit): Unit =
    io(directory) {
      LocalFiles.list(at(directory)).foreach { entry =>
        val name = entry.getFileName.toString
        if (isWanted(name))
          info(FileStore.path(directory, name), entry, LinkOption.NOFOLLOW_LINKS).foreach(each)
      }
    }

  /** If both paths are hard links of one file, the file is at the target already. */
  private def taken(source: Path, target: Path): MoveOutcome =
    if (!LocalFiles.isNamed(source)) MoveOutcome.SourceGone
    else if (Files.isSameFile(source, target)) MoveOutcome.Moved
    else MoveOutcome.TargetTaken

  /** Creates a hard link if the file can have another hard link, otherwise a copy. */
  override def duplicate(from: String, to: String): Unit = io(to) {
    try LocalForcing.creatingIn(at(to).getParent, durability)(Files.createLink(at(to), at(from)))
    catch {
      case _: FileAlreadyExistsException                             => ()
      case gone: NoSuchFileException                                 => throw gone
      case _: UnsupportedOperationException | _: FileSystemException =>
        createIfAbsent(to)(out => Using.resource(opened(from))(_.transferTo(out)): Unit): Unit
    }
    durability.syncAround(at(to))
  }

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => io(path)(Files.deleteIfExists(at(path))))

  override def deleteTree(directory: String): Unit = io(directory)(deleteTree(at(directory), left = 10))

  /** Retries if another process creates names below the directory at the same time. */
  @tailrec
  private def deleteTree(top: Path, left: Int): Unit = {
    val there   = LocalFiles.deepestFirst(top)(_ => true)
    val problem =
      try { there.foreach(isDeleted(_)); None }
      catch { case e: DirectoryNotEmptyException => Some(e) }
    problem match {
      case None                => ()
      case Some(_) if left > 1 => deleteTree(top, left - 1)
      case Some(e)             => throw e
    }
  }

  override def deleteEmpty(directory: String): Unit = Iterator
    .iterate(at(directory))(_.getParent)
    .takeWhile(_ != Paths.get(root))
    .takeWhile(isDeletedAsEmpty)
    .foreach(_ => ())

  override def refuseUnseen(paths: Seq[String]): Unit =
    paths.find(!exists(_)).foreach(path => throw HostPaths.unseenByDriver(root, path, Machine.here))

  override def force(directory: String): Unit = io(directory)(durability.syncIfThere(at(directory)))

  override def isClosed(path: String): Option[Boolean] = Some(true)

  override def otherOwner(path: String): Option[OtherOwner] = LocalFiles.otherOwner(at(path))

  override def describe(path: String): String = at(path).toString

  private def info(path: String, file: Path, links: LinkOption*): Option[FileInfo] =
    try
      LocalFiles.attributes(file, links: _*).map { found =>
        val kind = if (found.isDirectory) FileInfo.Directory else FileInfo.File(found.size)
        val link =
          Option.when(found.isSymbolicLink)(Link.Refused(s"it points to ${Files.readSymbolicLink(file)}"))
        FileInfo(path, kind, Some(found.lastModifiedTime.toMillis), link)
      }
    catch { case _: NoSuchFileException => None } // a link was removed meanwhile

  /** Opens a stream, because an interrupt would close a channel. */
  private def opened(path: String): InputStream =
    OpenFailure.opening(describe(path))(LocalFiles.exists(at(path)))(new FileInputStream(at(path).toFile))

  private def write(file: Path)(content: OutputStream => Unit): Unit = {
    // A file to be created cannot be absent: this exception has another reason.
    val raw =
      try LocalForcing.creatingIn(file.getParent, durability)(new RandomAccessFile(file.toFile, "rw"))
      catch {
        case e: FileNotFoundException => throw Errors.storeWrite(file.toString, OpenFailure.reason(e), e)
      }
    try {
      val out = new BufferedOutputStream(new FileOutputStream(raw.getFD), BufferBytes)
      content(out)
      out.flush()
      durability.sync(raw)
    } finally raw.close()
  }

  /** A link can be deleted although its target has files. */
  private def isDeletedAsEmpty(directory: Path): Boolean =
    try !Files.isSymbolicLink(directory) && isDeleted(directory)
    catch { case _: IOException => false }

  private def isDeleted(path: Path): Boolean = {
    val gone = Files.deleteIfExists(path)
    if (gone) LocalForcing.removed(path)
    gone
  }

  private def relative(path: Path): String = Paths.get(root).relativize(path).toString

  private def at(path: String): Path = LocalFiles.below(root, path)

  /** `FileNotFoundException` passes unchanged, because [[open]] promises this exception. */
  private def io[A](path: String)(action: => A): A =
    try action
    catch {
      case e: FileNotFoundException => throw e
      case e: IOException => throw Errors.storeWrite(at(path).toString, LocalFiles.reason(at(path), e), e)
    }

  private final val BufferBytes = 64 << 10
}

private[stoplog] object LocalFileStore {

  /** The files under a sink's path. */
  def ofSink(root: String, sinkId: String, durability: LocalForcing): LocalFileStore =
    new LocalFileStore(root, Some(SinkDirectory(sinkId).open), durability)
}
