// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{FileNotFoundException, IOException, InputStream}

import scala.annotation.tailrec
import scala.util.Using

import org.apache.commons.io.{IOUtils => CommonsIO}
import org.apache.hadoop.fs._
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder

import stoplog.error.Errors
import stoplog.part.PathBelow
import stoplog.storage.{Durability, OpenFailure, PartOutput}

/** The files under one path of a Hadoop file system, by paths relative to this path.
  *
  * Caches only the connection, so instances can be sent to any process.
  *
  * @param root     the path with scheme and authority
  * @param renaming   how files are renamed on this file system
  * @param durability the failures that flushed bytes survive
  */
private[stoplog] final class HadoopFiles(
    val root: String,
    settings: HadoopSettings,
    val renaming: Renaming = Renaming.Atomic,
    val durability: Durability = Durability.Disk
) extends Serializable {
  import HadoopFiles.Renamed

  private lazy val base = new Path(root)

  @transient lazy val fileSystem: FileSystem = HadoopSettings.Clients.of(base, settings.configuration)

  // Of Hadoop's two interfaces, only `FileContext` has a rename that never overwrites.
  @transient private lazy val context = FileContext.getFileContext(base.toUri, settings.configuration)

  /** Whether the files are on this host, regardless of the scheme of the path. */
  @transient lazy val areLocal: Boolean = HadoopFiles.isLocal(fileSystem)

  /** Whether the files are on HDFS, regardless of the scheme of the path. */
  def isHdfs: Boolean = fileSystem.isInstanceOf[DistributedFileSystem]

  /** Returns the absolute path. The name is not parsed as a URI: a colon or a per cent sign is a normal
    * character. Error: `STOPLOG_PATH_ELSEWHERE` if the path would lead out of the root.
    */
  def at(path: String): Path = {
    PathBelow.problem(path).foreach(why => throw Errors.pathElsewhere(root, path, why))
    val uri = base.toUri
    if (path.isEmpty) base
    else new Path(uri.getScheme, uri.getAuthority, s"${uri.getPath.stripSuffix("/")}/$path")
  }

  /** Returns the path relative to the root. */
  def relative(path: Path): String =
    path.toUri.getPath.stripPrefix(base.toUri.getPath.stripSuffix("/")).stripPrefix("/")

  def status(path: Path): Option[FileStatus] = unlessGone(path)(Some(fileSystem.getFileStatus(path)), None)

  /** Opens a file. Error: `FileNotFoundException` only if the file does not exist. */
  def open(path: Path): FSDataInputStream = opening(path)(fileSystem.open(path))

  /** Runs another call that opens a file, with the same errors. */
  def opening[A](path: Path)(open: => A): A =
    OpenFailure.opening(path.toString)(OpenFailure.exists(fileSystem, path))(open)

  /** Checks that the path can be a directory. Error: `STOPLOG_PATH_NOT_WRITABLE` if the path or a parent is a
    * file.
    *
    * @param path in the form written by the user
    */
  def refuseUnfit(path: String): Unit = writing(base) {
    Iterator
      .iterate(base)(_.getParent)
      .takeWhile(_ != null)
      .flatMap(status)
      .nextOption()
      .filterNot(_.isDirectory)
      .foreach(there => throw Errors.pathNotWritable(path, s"${there.getPath} is not a directory"))
  }

  /** Returns the entries of the directory; empty if the directory does not exist. */
  def list(directory: Path): Vector[FileStatus] = {
    val found = Vector.newBuilder[FileStatus]
    listed(directory)(found += _)
    found.result()
  }

  /** Passes each entry of the directory to `each`. */
  def listed(directory: Path)(each: FileStatus => Unit): Unit = unlessGone(directory)(
    {
      val entries = fileSystem.listStatusIterator(directory)
      while (entries.hasNext) each(entries.next())
    },
    ()
  )

  /** Returns all files under a directory. Omits files that vanish during the walk.
    *
    * @param enter whether to visit a directory
    */
  def filesUnder(directory: Path)(enter: Path => Boolean): Vector[FileStatus] = list(directory).flatMap {
    case entry if !entry.isDirectory   => Vector(entry)
    case entry if enter(entry.getPath) => filesUnder(entry.getPath)(enter)
    case _                             => Vector.empty
  }

  def read(path: Path): Option[Array[Byte]] =
    unlessGone(path)(Some(Using.resource(fileSystem.open(path))(_.readAllBytes())), None)

  /** Creates a new file. On HDFS the file is replicated, even in a directory for erasure coding.
    * Erasure-coded cells are durable only when all cells are full, and such files cannot be appended to.
    */
  def create(path: Path): FSDataOutputStream = built(creating(path))

  /** Returns the builder of [[create]], for a caller that sets more options. */
  def creating(path: Path): FSDataOutputStreamBuilder[_, _] = {
    val builder: FSDataOutputStreamBuilder[_, _] = beginning(path)
    builder.recursive()
    builder match {
      case hdfs: HdfsDataOutputStreamBuilder => hdfs.replicate()
      case other                             => other
    }
  }

  /** Creates an empty file in an existing directory. Error: `FileNotFoundException` if the directory does not
    * exist.
    */
  def createEmpty(path: Path): Unit = built(beginning(path)).close()

  /** Renames the file to an unused name (I6). */
  def rename(from: Path, to: Path): Renamed = renaming match {
    case Renaming.Atomic  => renamed(from, to)
    case Renaming.Checked => if (status(to).isEmpty) renamedUnchecked(from, to) else refused(from, to)
  }

  /** Renames the file and creates the target directory if necessary. Other jobs remove empty directories,
    * possibly between the two steps. Therefore both steps are retried.
    */
  def renameInto(from: Path, to: Path): Renamed = renameInto(from, to, HadoopFiles.MostTries)

  @tailrec
  private def renameInto(from: Path, to: Path, left: Int): Renamed = rename(from, to) match {
    case Renamed.NoDirectory if left > 1 =>
      fileSystem.mkdirs(to.getParent)
      renameInto(from, to, left - 1)
    case other => other
  }

  /** Creates a file that must not exist. Object stores check this when they store the object, not when the
    * stream is opened.
    */
  def createAlone(path: Path): FSDataOutputStream = fileSystem
    .createFile(path)
    .recursive()
    .overwrite(false)
    .opt(Options.CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, true)
    .build()

  def delete(path: Path): Unit = {
    remove(path)
    ()
  }

  /** Deletes a file. Returns whether the file existed. */
  def remove(path: Path): Boolean = fileSystem.delete(path, false)

  /** Removes the directories from `directory` up to but excluding `top`, as long as they are empty. */
  def deleteIfEmpty(directory: Path, top: Path): Unit = {
    val above = Iterator.iterate(directory)(_.getParent).takeWhile(path => path != null && path != top)
    above.forall { path =>
      try fileSystem.delete(path, false)
      catch { case _: IOException => false } // not empty
    }
    ()
  }

  /** Makes all written bytes durable: on the disks of all servers with a replica, or in their memory. */
  def flush(out: Syncable): Unit = durability match {
    case Durability.Disk    => out.hsync()
    case Durability.Process => out.hflush()
  }

  /** Returns the action's result. Error: `STOPLOG_STORE_WRITE` in place of an `IOException`. */
  def writing[A](path: Path)(action: => A): A =
    try action
    catch { case e: IOException => throw Errors.storeWrite(path.toString, HadoopFiles.reason(e), e) }

  private def renamed(from: Path, to: Path): Renamed =
    try {
      context.rename(from, to)
      Renamed.Done
    } catch {
      case _: FileAlreadyExistsException | _: ParentNotDirectoryException => Renamed.TargetThere
      case _: FileNotFoundException                                       =>
        if (status(from).isEmpty) Renamed.SourceGone else Renamed.NoDirectory
    }

  private def renamedUnchecked(from: Path, to: Path): Renamed =
    try if (fileSystem.rename(from, to)) Renamed.Done else refused(from, to)
    catch {
      case _: FileNotFoundException | _: FileAlreadyExistsException => refused(from, to)
      case e: IOException => if (status(from).isEmpty || status(to).isDefined) refused(from, to) else throw e
    }

  /** File systems reject renames in many ways, so a check of both names afterwards determines the reason. */
  private def refused(from: Path, to: Path): Renamed =
    if (status(from).isEmpty) Renamed.SourceGone
    else if (status(to).isDefined) Renamed.TargetThere
    else Renamed.NoDirectory // another process may have created the directory since

  private def beginning(path: Path): FSDataOutputStreamBuilder[_, _] = {
    val builder: FSDataOutputStreamBuilder[_, _] = fileSystem.createFile(path)
    builder.overwrite(false)
    builder
  }

  private def built(builder: FSDataOutputStreamBuilder[_, _]): FSDataOutputStream =
    builder.build().asInstanceOf[FSDataOutputStream]

  private def unlessGone[A](path: Path)(action: => A, otherwise: A): A =
    try opening(path)(action)
    catch { case _: FileNotFoundException => otherwise }
}

private[stoplog] object HadoopFiles {

  private val MostTries = 5

  /** Whether a file system reads and writes the disks of this host. */
  @tailrec
  private[hadoop] def isLocal(system: FileSystem): Boolean = system match {
    case _: RawLocalFileSystem    => true
    case filter: FilterFileSystem => isLocal(filter.getRawFileSystem)
    case _                        => false
  }

  /** The first line. The rest of the message of a remote exception is the server's stack trace. */
  def reason(e: IOException): String =
    String.valueOf(e.getMessage).linesIterator.nextOption().getOrElse(e.getClass.getSimpleName)

  /** Copies the first bytes of a file. Error: `STOPLOG_PART_SHORT` if the file has fewer bytes. */
  def copy(files: HadoopFiles, from: Path, validBytes: Long, to: PartOutput): Unit =
    Using.resource(files.open(from))(copy(_, from, validBytes, to))

  /** Copies from a stream positioned at the start of the file. */
  def copy(in: InputStream, from: Path, validBytes: Long, to: PartOutput): Unit = {
    val buffer = new Array[Byte](BufferBytes)
    while (to.position < validBytes) {
      val got = in.readNBytes(buffer, 0, (validBytes - to.position).min(BufferBytes.toLong).toInt)
      if (got == 0) throw Errors.partShort(from.toString, to.position, validBytes)
      to.write(buffer, 0, got)
    }
  }

  /** Whether two files have the same bytes. Error: `FileNotFoundException`. */
  def same(files: HadoopFiles, one: Path, other: Path): Boolean = {
    val statuses = Seq(one, other).map(files.fileSystem.getFileStatus)
    statuses.forall(_.isFile) && statuses.map(_.getLen).distinct.sizeIs == 1 &&
    Using.resources(files.open(one), files.open(other))(CommonsIO.contentEquals(_, _))
  }

  private val BufferBytes = 128 << 10

  /** The result of [[HadoopFiles.rename]], unless the call throws. */
  sealed trait Renamed

  object Renamed {
    case object Done        extends Renamed
    case object SourceGone  extends Renamed
    case object TargetThere extends Renamed

    /** The rename was rejected for another reason: most likely, the target's directory did not exist. */
    case object NoDirectory extends Renamed
  }
}

/** How a file is renamed, never to a used name (I6). */
private[stoplog] sealed trait Renaming extends Serializable
private[stoplog] object Renaming {

  /** One step of the server: of many concurrent renames to one name, exactly one succeeds. For file systems
    * supported by Hadoop's `FileContext` whose rename is known to be atomic, such as HDFS.
    */
  case object Atomic extends Renaming

  /** A check of the name, then the file system's rename, whose behaviour is unknown. If the rename replaces
    * existing files, a file created under the name between check and rename is lost. Therefore only globally
    * unique names may be assigned in this way.
    */
  case object Checked extends Renaming
}
