// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{FileNotFoundException, IOException, InputStream}

import scala.util.Using

import org.apache.commons.io.{IOUtils => CommonsIO}
import org.apache.hadoop.fs._
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.apache.hadoop.hdfs.DistributedFileSystem.HdfsDataOutputStreamBuilder

import stoplog.error.Errors
import stoplog.part.PathBelow
import stoplog.storage.{Durability, OpenFailure, PartOutput}

/** The files under one path of a Hadoop file system, by their paths relative to it.
  *
  * Nothing is cached but the connection, so it can be sent to any process.
  *
  * @param root     the path with its scheme and authority
  * @param renaming   the way in which files get their names here
  * @param durability the failures that bytes survive once they are flushed
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

  // Of the two interfaces, this is the one that has a rename which never overwrites.
  @transient private lazy val context = FileContext.getFileContext(base.toUri, settings.configuration)

  /** Whether the files are those of this host, whatever the scheme of the path is. */
  @transient lazy val areLocal: Boolean = HadoopFiles.isLocal(fileSystem)

  /** Whether the files are on HDFS, whatever the scheme of the path is. */
  def isHdfs: Boolean = fileSystem.isInstanceOf[DistributedFileSystem]

  /** Not read as a URI: a colon or a per cent sign in a name is that character. Error: `STOPLOG_PATH_ELSEWHERE` when it
    * would lead out of the root.
    */
  def at(path: String): Path = {
    PathBelow.problem(path).foreach(why => throw Errors.pathElsewhere(root, path, why))
    val uri = base.toUri
    if (path.isEmpty) base
    else new Path(uri.getScheme, uri.getAuthority, s"${uri.getPath.stripSuffix("/")}/$path")
  }

  /** The path relative to the root. */
  def relative(path: Path): String =
    path.toUri.getPath.stripPrefix(base.toUri.getPath.stripSuffix("/")).stripPrefix("/")

  def status(path: Path): Option[FileStatus] = unlessGone(path)(Some(fileSystem.getFileStatus(path)), None)

  /** Opens a file. Error: `FileNotFoundException` only if there is no such file. */
  def open(path: Path): FSDataInputStream = opening(path)(fileSystem.open(path))

  /** The same by another call. */
  def opening[A](path: Path)(open: => A): A =
    OpenFailure.opening(path.toString)(OpenFailure.isThereAfterAll(fileSystem, path))(open)

  /** Error: `STOPLOG_PATH_NOT_WRITABLE` when a file keeps the path from being a directory.
    *
    * @param path as the user wrote it
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

  /** The entries of the directory; none when it is not there. */
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

  /** All files under a directory. Files that vanish meanwhile are left out.
    *
    * @param enter which directories to look into
    */
  def filesUnder(directory: Path)(enter: Path => Boolean): Vector[FileStatus] = list(directory).flatMap {
    case entry if !entry.isDirectory   => Vector(entry)
    case entry if enter(entry.getPath) => filesUnder(entry.getPath)(enter)
    case _                             => Vector.empty
  }

  def read(path: Path): Option[Array[Byte]] =
    unlessGone(path)(Some(Using.resource(fileSystem.open(path))(_.readAllBytes())), None)

  /** Begins a new file. On HDFS one in whole copies, also in a directory for erasure coding: the cells of such a file
    * are durable only when all of them are full, and nothing can be appended to it.
    */
  def create(path: Path): FSDataOutputStream = built(creating(path))

  /** The same, for a caller with more options to set. */
  def creating(path: Path): FSDataOutputStreamBuilder[_, _] = {
    val builder: FSDataOutputStreamBuilder[_, _] = beginning(path)
    builder.recursive()
    builder match {
      case hdfs: HdfsDataOutputStreamBuilder => hdfs.replicate()
      case other                             => other
    }
  }

  /** Creates an empty file in a directory that is there. Error: `FileNotFoundException` when it is not. */
  def createEmpty(path: Path): Unit = built(beginning(path)).close()

  /** Gives the file another name, which no file has (I6). */
  def rename(from: Path, to: Path): Renamed = renaming match {
    case Renaming.Atomic  => renamed(from, to)
    case Renaming.Checked => if (status(to).isEmpty) renamedUnchecked(from, to) else refused(from, to)
  }

  /** The same into a directory that may have to be made first. */
  def renameInto(from: Path, to: Path): Renamed = rename(from, to) match {
    case Renamed.NoDirectory =>
      fileSystem.mkdirs(to.getParent)
      rename(from, to)
    case other => other
  }

  /** A file that must not be there: object stores are asked to look when they store it, not when it is opened. */
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

  /** Deletes a file, and returns whether there was one. */
  def remove(path: Path): Boolean = fileSystem.delete(path, false)

  /** Removes the directories from this one up to `top`, which stays, as far as nothing is in them. */
  def deleteIfEmpty(directory: Path, top: Path): Unit = {
    val above = Iterator.iterate(directory)(_.getParent).takeWhile(path => path != null && path != top)
    above.forall { path =>
      try fileSystem.delete(path, false)
      catch { case _: IOException => false } // something is in it
    }
    ()
  }

  /** Makes what has been written so far durable: on the disks of all servers that hold it, or in their memory. */
  def flush(out: Syncable): Unit = durability match {
    case Durability.Disk    => out.hsync()
    case Durability.Process => out.hflush()
  }

  /** The action's result. Error: `STOPLOG_STORE_WRITE` in place of an `IOException`. */
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

  /** File systems refuse in many ways; a look at both names afterwards tells the reason. */
  private def refused(from: Path, to: Path): Renamed =
    if (status(from).isEmpty) Renamed.SourceGone
    else if (status(to).isDefined) Renamed.TargetThere
    else Renamed.NoDirectory // another process may have made it since

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

  /** Whether a file system reads and writes the disks of this host. */
  @scala.annotation.tailrec
  private[hadoop] def isLocal(system: FileSystem): Boolean = system match {
    case _: RawLocalFileSystem    => true
    case filter: FilterFileSystem => isLocal(filter.getRawFileSystem)
    case _                        => false
  }

  /** The first line: what follows in the message of a remote exception is the server's stack trace. */
  def reason(e: IOException): String =
    String.valueOf(e.getMessage).linesIterator.nextOption().getOrElse(e.getClass.getSimpleName)

  /** Copies the first bytes of a file. Error: `STOPLOG_PART_SHORT` when there are fewer. */
  def copy(files: HadoopFiles, from: Path, validBytes: Long, to: PartOutput): Unit =
    Using.resource(files.open(from))(copy(_, from, validBytes, to))

  /** The same from a stream that is at the beginning of the file. */
  def copy(in: InputStream, from: Path, validBytes: Long, to: PartOutput): Unit = {
    val buffer = new Array[Byte](BufferBytes)
    while (to.position < validBytes) {
      val got = in.readNBytes(buffer, 0, (validBytes - to.position).min(BufferBytes.toLong).toInt)
      if (got == 0) throw Errors.partShort(from.toString, to.position, validBytes)
      to.write(buffer, 0, got)
    }
  }

  /** Whether two files hold the same bytes. Error: `FileNotFoundException`. */
  def same(files: HadoopFiles, one: Path, other: Path): Boolean = {
    val statuses = Seq(one, other).map(files.fileSystem.getFileStatus)
    statuses.forall(_.isFile) && statuses.map(_.getLen).distinct.sizeIs == 1 &&
    Using.resources(files.open(one), files.open(other))(CommonsIO.contentEquals(_, _))
  }

  private val BufferBytes = 128 << 10

  /** The result of [[HadoopFiles.rename]], when it did not fail. */
  sealed trait Renamed

  object Renamed {
    case object Done        extends Renamed
    case object SourceGone  extends Renamed
    case object TargetThere extends Renamed

    /** It was refused for another reason: the target's directory was not there, most likely. */
    case object NoDirectory extends Renamed
  }
}

/** The way in which a file gets another name, and never one that is taken (I6). */
private[stoplog] sealed trait Renaming extends Serializable
private[stoplog] object Renaming {

  /** One step of the server: of many that rename to one name at once, one succeeds. For file systems that Hadoop's
    * `FileContext` knows and whose rename is known to be such, as that of HDFS.
    */
  case object Atomic extends Renaming

  /** A look at the name and then the file system's own rename, of which nothing is known. Where that replaces what it
    * finds, a file that appears under the name between the two is lost: names that are made once in the world may be
    * given so, and nothing else.
    */
  case object Checked extends Renaming
}
