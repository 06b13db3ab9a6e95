// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.{EOFException, FileNotFoundException, InputStream, OutputStream}

/** The files under one root of a storage, by paths relative to the root, with `/` between the names.
  *
  * A storage has two interfaces: `FileStore` for files, and [[PartStore]] for parts that grow. The commit
  * log, spool files, replaced files, markers, the directory of a batch job, and a source's input and state
  * are all stored through `FileStore`. A store is sent to other processes by Java serialization and makes no
  * decisions. A store MUST keep the guarantees below; `FileStoreLaws` tests each guarantee.
  *
  * Errors of each method: `STOPLOG_STORE_WRITE` if the storage rejects a request or does not respond, and the
  * outcome is unknown; `STOPLOG_PATH_ELSEWHERE` for a path that leads out of the root.
  */
trait FileStore extends Serializable {

  /** Passes each file and directory in a directory to `each`, in no particular order. Passes nothing if the
    * directory does not exist.
    *
    * @param prefix the prefix of the requested names
    */
  def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit

  /** Returns the files and directories in a directory whose names start with `prefix`. */
  final def list(directory: String, prefix: String = ""): Vector[FileInfo] = {
    val found = Vector.newBuilder[FileInfo]
    visit(directory, prefix)(found += _)
    found.result()
  }

  /** Returns the files and directories in a directory whose names are wanted. Overridden if a store lists
    * names at a lower cost than files.
    */
  def listOnly(directory: String)(isWanted: String => Boolean): Vector[FileInfo] =
    list(directory).filter(entry => isWanted(entry.name))

  /** Returns the names in a directory, which costs less than [[list]]. Empty if the directory does not exist.
    */
  def names(directory: String): Vector[String]

  /** Returns all files below a directory, at any depth. Omits files that vanish during the walk. Follows no
    * link, except if the root of the store is a link.
    *
    * @param enter whether the walk enters a directory, by path
    */
  def walk(directory: String)(enter: String => Boolean): Vector[FileInfo]

  /** Returns the file or directory at a path. */
  def stat(path: String): Option[FileInfo]

  /** Returns the link at a path; `None`, the default, if the path is no link or the storage has no links. */
  def link(path: String): Option[Link] = None

  /** Whether a file exists at the path. Overridden if a store can determine this at a lower cost than
    * [[stat]].
    */
  def exists(path: String): Boolean = stat(path).exists(_.isFile)

  /** Opens the file. The caller closes the stream. Error: `FileNotFoundException` only if the file does not
    * exist. Every other failure to open a file MUST be another exception, because the file may exist.
    */
  def open(path: String): InputStream

  /** Opens a file of at least this number of bytes. The caller closes the stream. Overridden if a store can
    * check the length at a lower cost than [[stat]] plus [[open]]. A store MAY return bytes written by this
    * process, even if another process has deleted the file since. [[stat]] and [[open]] always query the
    * storage.
    *
    * Errors: `FileNotFoundException`; `EOFException` if the file is shorter.
    */
  def openWhole(path: String, bytes: Long): InputStream = {
    val actual = stat(path).fold(throw new FileNotFoundException(path))(_.bytes)
    if (actual < bytes) throw new EOFException(s"$path has $actual of $bytes bytes")
    open(path)
  }

  /** Returns all bytes of a small file; `None` if the file does not exist. */
  def read(path: String): Option[Array[Byte]]

  /** Creates a file under a globally unique name. The file is complete and durable on return. A failed call
    * may leave an incomplete file.
    */
  def create(path: String)(content: OutputStream => Unit): Unit

  /** Creates the file, complete and durable, unless the file exists (I6). Of any number of callers on any
    * machines, exactly one receives `Created`. Every reader of the path reads all bytes.
    *
    * After an exception the outcome is unknown. A caller that repeats the call receives `Taken` if the file
    * was created after all. The same applies to a caller whose first request succeeded but whose response was
    * lost. The bytes of the file show which caller created the file.
    */
  def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome

  /** Calls [[createIfAbsent]] with these bytes. */
  final def putIfAbsent(path: String, bytes: Array[Byte]): PutOutcome = createIfAbsent(path)(_.write(bytes))

  /** Creates an empty file, unless the file exists, in an existing directory. A power loss may remove the
    * file until the directory is forced, for example by the next [[createIfAbsent]] in the directory. The
    * loss costs no rows, but a record is executed again. The second execution fails with `STOPLOG_PART_LOST`
    * if a reader has removed a part of the record.
    */
  def mark(path: String): PutOutcome

  /** Moves a file to another path and creates the directory if necessary. Never replaces a file that existed
    * before the call (I6). Two callers never move different files to one path at once: each finished path
    * belongs to exactly one file.
    *
    * If a caller died during the move, another caller may repeat the call, which completes a copy that has
    * all bytes.
    */
  def move(from: String, to: String): MoveOutcome

  /** Returns the first of these directories whose files cannot be moved to another path, as far as the store
    * can determine in advance. A rename cannot cross file systems, and may need rights that this process
    * lacks. `None` if the store detects no obstacle.
    */
  def unmovable(directories: Seq[String], to: String): Option[String] = None

  /** Returns the reason why the store cannot have a file at this path: a clause without a full stop. `None`,
    * the default, if the store can, or does not know. Makes no request.
    */
  def pathProblem(path: String): Option[String] = None

  /** Adds a second path to an immutable file, by a hard link or a copy. Keeps a complete file at the second
    * path.
    */
  def duplicate(from: String, to: String): Unit

  /** Deletes files, in this order. An absent file is not an error. */
  def delete(paths: Seq[String]): Unit

  /** Deletes a directory and all its content. */
  def deleteTree(directory: String): Unit

  /** Deletes a directory and its parents below the root, as long as they are empty. Never throws. Files that
    * appear meanwhile stay: a store that cannot exclude their deletion keeps the directory.
    */
  def deleteEmpty(directory: String): Unit

  /** Throws if a file created by another process is not visible, provided that the check needs no request to
    * another host. The default does nothing. Error: `STOPLOG_PATH_NOT_SHARED`.
    */
  def refuseUnseen(paths: Seq[String]): Unit = ()

  /** Makes names created by other processes in a directory durable. */
  def force(directory: String): Unit = ()

  /** Whether the writer of the file has closed the file. `None` if the storage cannot determine this. Then
    * [[FileInfo.modifiedMillis]] may be the time of the first write.
    */
  def isClosed(path: String): Option[Boolean]

  /** Returns the owner of a path, if the storage has owners and the user of this process is another user.
    * Then the owner cannot change files created by this process. Otherwise, and by default, `None`.
    */
  def otherOwner(path: String): Option[OtherOwner] = None

  /** The user-visible path. */
  def describe(path: String): String

  def capabilities: FileCapabilities
}

object FileStore {

  /** Returns the path of a name in a directory, which may be the root. */
  def path(directory: String, name: String): String = if (directory.isEmpty) name else s"$directory/$name"

  /** Returns the directory of a path: empty for a path in the root, and for the root. */
  private[stoplog] def directoryOf(path: String): String = path.substring(0, path.lastIndexOf('/').max(0))

  /** Returns the only spelling of a path without empty names, `.` and `..`. A `..` at the start stays. */
  private[stoplog] def normalized(path: String): String = path
    .split('/')
    .foldLeft(Vector.empty[String]) {
      case (above, "" | ".")                                     => above
      case (above, "..") if above.nonEmpty && above.last != ".." => above.init
      case (above, name)                                         => above :+ name
    }
    .mkString("/")

  /** Returns the last name of a path. */
  private[stoplog] def nameOf(path: String): String = path.substring(path.lastIndexOf('/') + 1)
}

/** The owner of a path, and the user of this process. */
final case class OtherOwner(owner: String, user: String)

/** Whether a call has created the file. */
sealed trait PutOutcome
object PutOutcome {
  case object Created extends PutOutcome
  case object Taken   extends PutOutcome
}

/** The result of [[FileStore.move]]. */
sealed trait MoveOutcome
object MoveOutcome {
  case object Moved extends MoveOutcome

  /** The file to move does not exist: another process has moved the file, or a reader has removed the file.
    */
  case object SourceGone extends MoveOutcome

  /** Another file has this path. */
  case object TargetTaken extends MoveOutcome
}

/** The capabilities of a file store on which callers may rely, in addition to the guarantees of
  * [[FileStore]].
  *
  * @param moves       how [[FileStore.move]] works
  * @param directories whether directories exist and [[FileStore.stat]] finds directories
  * @param durability  the failures that a created file survives
  */
final case class FileCapabilities(
    moves: Moves,
    directories: Boolean,
    durability: Durability = Durability.Disk
)

/** How a storage moves a file to another path. */
sealed trait Moves extends Product with Serializable
object Moves {

  /** In one step. */
  case object Atomically extends Moves

  /** By a rename whose outcome is determined only by checks before and after. */
  case object Checked extends Moves

  /** By a copy and a deletion. */
  case object ByCopy extends Moves
}

/** A file or directory in a listing.
  *
  * @param path           relative to the store's root
  * @param kind           the kind of the link's target, if the path is a link
  * @param modifiedMillis for a directory, the time when a name in the directory was last added, removed or
  *   changed; `None` if the storage keeps no such times
  * @param link           the target; `None` for a path without a link below the path given by the user
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

/** The target of a symbolic link. Users who may create names in a directory may also create links there. */
sealed trait Link
object Link {

  /** A link to a path below the root. The path contains no link. */
  final case class Below(path: String) extends Link

  /** A link to a target that is never read.
    *
    * @param why a clause whose subject is the link
    */
  final case class Refused(why: String) extends Link
}

/** A store without files that rejects writes, for a sink without spool files or a source read once. */
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
    throw new IllegalStateException(s"$path cannot be written: this sink has no files")

  private def readResolve: AnyRef = NoFiles
}
