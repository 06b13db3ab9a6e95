// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{EOFException, FileNotFoundException, InputStream, OutputStream}

/** The files under one root of a storage, by their paths relative to it, with `/` between the names.
  *
  * A storage has two seams: this one for files, and [[PartStore]] for parts that grow. The commit log, spool files, replaced
  * files, markers, the directory of a batch job, and a source's input and state are all written on this one. A store goes
  * to other processes by Java serialization, and decides nothing: it keeps the promises written here, of which
  * `FileStoreLaws` tests each.
  *
  * Errors of each method: `STOPLOG_STORE_WRITE` when the storage refuses or does not answer, which leaves the outcome
  * unknown; `STOPLOG_PATH_ELSEWHERE` for a path that leads out of the root.
  */
trait FileStore extends Serializable {

  /** Passes each file and directory in a directory to `each`, in no particular order; none when there is no such directory.
    *
    * @param prefix the beginning of the names that are asked for
    */
  def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit

  /** The files and directories in a directory whose names begin with `prefix`. */
  final def list(directory: String, prefix: String = ""): Vector[FileInfo] = {
    val found = Vector.newBuilder[FileInfo]
    visit(directory, prefix)(found += _)
    found.result()
  }

  /** The names in a directory, which is less work than [[list]]; none when there is no such directory. */
  def names(directory: String): Vector[String]

  /** All files below a directory, at any depth. Files that vanish during the walk are left out.
    *
    * @param enter which directories the walk enters, by their paths
    */
  def walk(directory: String)(enter: String => Boolean): Vector[FileInfo]

  /** The file or directory at a path. */
  def stat(path: String): Option[FileInfo]

  /** Whether there is a file at the path. Overridden where a store can tell for less than [[stat]] costs. */
  def exists(path: String): Boolean = stat(path).exists(_.isFile)

  /** The file's bytes, which the caller closes. Error: `FileNotFoundException` only if there is no such file. Every other
    * failure to open a file MUST be another exception: the file may exist.
    */
  def open(path: String): InputStream

  /** The bytes of a file that has at least so many, which the caller closes. Overridden where a store can tell that for less
    * than [[stat]] costs beside [[open]]. A store may answer with what this process has written, also when another process
    * has deleted the file since; [[stat]] and [[open]] ask the storage.
    *
    * Errors: `FileNotFoundException`; `EOFException` when there are fewer.
    */
  def openWhole(path: String, bytes: Long): InputStream = {
    val actual = stat(path).fold(throw new FileNotFoundException(path))(_.bytes)
    if (actual < bytes) throw new EOFException(s"$path has $actual of $bytes bytes")
    open(path)
  }

  /** All bytes of a small file; `None` when there is none. */
  def read(path: String): Option[Array[Byte]]

  /** Creates a file under a name that occurs once in the world. Whole and durable on return; a failed call may leave a file
    * without all of its bytes.
    */
  def create(path: String)(content: OutputStream => Unit): Unit

  /** Creates the file, whole and durable, unless there is one (I6): of any number of callers on any machines one alone is
    * told `Created`, and every reader of the path reads all of its bytes.
    *
    * An exception leaves the outcome unknown. A caller that asks again is told `Taken` if the file was created after all, and so
    * may be a caller whose first request was carried out while its answer was lost: the file's bytes tell whose they are.
    */
  def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome

  /** [[createIfAbsent]] of these bytes. */
  final def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = createIfAbsent(path)(_.write(bytes))

  /** Creates an empty file, unless there is one, in a directory that exists. A power loss may take it until its directory is
    * forced, as by the next [[createIfAbsent]] there. That costs no rows, but a record is carried out again, which is
    * refused as `STOPLOG_PART_LOST` if a reader has taken a part of it away.
    */
  def mark(path: String): PutOutcome

  /** Gives a file another path, whose directory is created if need be; never over a file that is there when it is called
    * (I6). Two callers never move different files to one path at once: each finished path belongs to one file alone.
    *
    * A caller that died on its way may be followed by another one that calls again, and finishes a copy that has all bytes.
    */
  def move(from: String, to: String): MoveOutcome

  /** The first of these directories whose files cannot be moved to another path, as far as the store can tell before: a
    * rename does not leave a file system, and may need rights that this process lacks. `None` if the store sees no obstacle.
    */
  def unmovable(directories: Seq[String], to: String): Option[String] = None

  /** Gives the bytes of a file that never changes a second path, by a hard link or a copy. A whole file that is there stays. */
  def duplicate(from: String, to: String): Unit

  /** Deletes files, in this order. A file that is gone already is no error. */
  def delete(paths: Seq[String]): Unit

  /** Deletes a directory with all that is in it. */
  def deleteTree(directory: String): Unit

  /** Deletes a directory, and those above it below the root, as far as they are empty. Never fails. */
  def deleteEmpty(directory: String): Unit

  /** Throws if a file that another process has created is not there, where a look costs no request to another host. By
    * default it does nothing. Error: `STOPLOG_PATH_NOT_SHARED`.
    */
  def refuseUnseen(paths: Seq[String]): Unit = ()

  /** Makes the names in a directory durable that other processes have created. */
  def force(directory: String): Unit = ()

  /** Whether the file's writer has closed it; `None` where the storage cannot tell, and [[FileInfo.modifiedMillis]] may be
    * the time at which it began to write.
    */
  def isClosed(path: String): Option[Boolean]

  /** The owner of a path, if the storage knows owners and the user of this process is another one: what this process
    * creates there, the owner cannot change. `None`, the default, otherwise.
    */
  def otherOwner(path: String): Option[OtherOwner] = None

  /** The path as users know it. */
  def describe(path: String): String

  def capabilities: FileCapabilities
}

object FileStore {

  /** A path of a name in a directory, which may be the root itself. */
  def path(directory: String, name: String): String = if (directory.isEmpty) name else s"$directory/$name"

  /** The directory of a path: empty for a path in the root, and for the root. */
  private[stoplog] def directoryOf(path: String): String = path.substring(0, path.lastIndexOf('/').max(0))

  /** The last name of a path. */
  private[stoplog] def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

/** The owner of a path, and the user of this process. */
final case class OtherOwner(owner: String, user: String)

/** Whether a call has created what it was to create. */
sealed trait PutOutcome
object PutOutcome {
  case object Created extends PutOutcome
  case object Taken   extends PutOutcome
}

/** The result of [[FileStore.move]]. */
sealed trait MoveOutcome
object MoveOutcome {
  case object Moved extends MoveOutcome

  /** There is no file to be moved: another process has moved it, or a reader has taken it. */
  case object SourceGone extends MoveOutcome

  /** Another file has that path. */
  case object TargetTaken extends MoveOutcome
}

/** The capabilities of a file store on which callers may rely, beyond the promises of [[FileStore]].
  *
  * @param moves       the way of [[FileStore.move]]
  * @param directories whether there are directories, which [[FileStore.stat]] finds
  * @param durability  the failures that a file survives once it is created
  */
final case class FileCapabilities(
    moves: Moves,
    directories: Boolean,
    durability: Durability = Durability.Disk
)

/** The way in which a storage gives a file another path. */
sealed trait Moves extends Product with Serializable
object Moves {

  /** In one step. */
  case object Atomically extends Moves

  /** By a rename of which only a look before and after it tells how it ended. */
  case object Checked extends Moves

  /** By a copy and a deletion. */
  case object ByCopy extends Moves
}

/** A file or directory as a listing tells of it.
  *
  * @param path           relative to the store's root
  * @param kind           of the link's target, if it is a link
  * @param modifiedMillis of a directory: when a name in it was last added, removed or changed; `None` where the storage keeps
  *                       no such times
  * @param link           its target; `None` for a path that has no link in it below what the user named
  */
final case class FileInfo(
    path: String,
    kind: FileInfo.Kind,
    modifiedMillis: Option[Long],
    link: Option[Link] = None
) {
  def name: String = FileStore.nameOf(path)

  def isFile: Boolean = kind.isInstanceOf[FileInfo.File]

  def isDirectory: Boolean = kind == FileInfo.Directory

  /** 0 for a directory. */
  def bytes: Long = kind match {
    case FileInfo.File(bytes) => bytes
    case FileInfo.Directory   => 0
  }
}

object FileInfo {
  sealed trait Kind
  case object Directory              extends Kind
  final case class File(bytes: Long) extends Kind
}

/** The target of a symbolic link. The user who may put names into a directory may put links there. */
sealed trait Link
object Link {

  /** To a path below the root, which has no link in it. */
  final case class Below(path: String) extends Link

  /** To a place where nothing is read.
    *
    * @param why a clause of which the link is the subject
    */
  final case class Refused(why: String) extends Link
}

/** A store that has no files and takes none: of a sink without spool files, or a source that is read once. */
private[stoplog] object NoFiles extends FileStore {
  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = ()
  override def names(directory: String): Vector[String]                               = Vector.empty
  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo]    = Vector.empty
  override def stat(path: String): Option[FileInfo]                                   = None
  override def open(path: String): InputStream         = throw new FileNotFoundException(path)
  override def read(path: String): Option[Array[Byte]] = None
  override def create(path: String)(content: OutputStream => Unit): Unit               = refuse(path)
  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = refuse(path)
  override def mark(path: String): PutOutcome                                          = refuse(path)
  override def move(from: String, to: String): MoveOutcome = MoveOutcome.SourceGone
  override def duplicate(from: String, to: String): Unit   = refuse(to)
  override def delete(paths: Seq[String]): Unit            = ()
  override def deleteTree(directory: String): Unit         = ()
  override def deleteEmpty(directory: String): Unit        = ()
  override def isClosed(path: String): Option[Boolean]     = Some(true)
  override def describe(path: String): String              = path

  override def capabilities: FileCapabilities =
    FileCapabilities(Moves.Atomically, directories = true)

  private def refuse(path: String): Nothing =
    throw new IllegalStateException(s"$path was to be written, where there are no files")

  private def readResolve: AnyRef = NoFiles
}
