// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{BufferedOutputStream, FileNotFoundException, IOException, InputStream, OutputStream}
import java.security.{DigestInputStream, DigestOutputStream, MessageDigest}
import java.util.UUID

import scala.util.control.NonFatal
import scala.util.{Try, Using}

import org.apache.hadoop.fs.permission.FsAction
import org.apache.hadoop.fs.{FileAlreadyExistsException, FileStatus, FileUtil, Path}
import org.apache.hadoop.security.{AccessControlException, UserGroupInformation}

import stoplog.storage._

/** Files of a Hadoop file system.
  *
  * @param drafts    the directory where files are written before [[createIfAbsent]] renames the files. The
  *   orphan cleaner deletes drafts left by a crash. `None` means the directory of each file
  * @param exclusion the step that succeeds for exactly one caller on this file system
  */
private[stoplog] class HadoopFileStore(
    files: HadoopFiles,
    drafts: Option[String],
    exclusion: StoreExclusion = HadoopFileStore.ByRename
) extends FileStore {

  override def capabilities: FileCapabilities = FileCapabilities(
    files.renaming match {
      case Renaming.Atomic  => Moves.Atomically
      case Renaming.Checked => Moves.Checked
    },
    directories = true,
    files.durability
  )

  override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = io(directory) {
    files.listed(files.at(directory)) { found =>
      if (found.getPath.getName.startsWith(prefix)) each(info(found))
    }
  }

  override def names(directory: String): Vector[String] = list(directory).map(_.name)

  override def walk(directory: String)(enter: String => Boolean): Vector[FileInfo] = io(directory) {
    files.filesUnder(files.at(directory))(path => enter(files.relative(path))).map(info)
  }

  /** If renames are atomic, a record is aborted when a file cannot be moved. Otherwise the rights are checked
    * in advance.
    */
  override def unmovable(directories: Seq[String], to: String): Option[String] =
    if (capabilities.moves == Moves.Atomically) None else directories.find(!mayRename(_))

  private def mayRename(directory: String): Boolean = io(directory) {
    try {
      files.fileSystem.access(files.at(directory), FsAction.WRITE)
      true
    } catch {
      case _: AccessControlException => false
      case NonFatal(_)               => true // unknown rights, or an absent directory
    }
  }

  override def stat(path: String): Option[FileInfo] = io(path)(files.status(files.at(path)).map(info))

  override def open(path: String): InputStream = files.open(files.at(path))

  override def read(path: String): Option[Array[Byte]] = io(path)(files.read(files.at(path)))

  override def create(path: String)(content: OutputStream => Unit): Unit =
    io(path)(write(files.at(path))(content))

  override def createIfAbsent(path: String)(content: OutputStream => Unit): PutOutcome = io(path) {
    exclusion.step match {
      case CapabilityProbe.Exclusion.ByRename => renamed(path, content)
      case CapabilityProbe.Exclusion.ByCreate =>
        if (files.status(files.at(path)).isDefined) PutOutcome.Taken else created(files.at(path), content)
    }
  }

  override def mark(path: String): PutOutcome = io(path) {
    val target = files.at(path)
    if (files.renaming == Renaming.Atomic) markedByServer(target)
    else if (files.status(target).isDefined) PutOutcome.Taken
    else if (files.status(target.getParent).isEmpty)
      throw new FileNotFoundException(target.getParent.toString)
    else
      exclusion.step match {
        case CapabilityProbe.Exclusion.ByRename => renamed(path, _ => ())
        case CapabilityProbe.Exclusion.ByCreate => markedAlone(target)
      }
  }

  override def move(from: String, to: String): MoveOutcome = io(from) {
    val (source, target) = (files.at(from), files.at(to))
    try
      if (files.status(source).isEmpty) MoveOutcome.SourceGone
      else
        files.renameInto(source, target) match {
          case HadoopFiles.Renamed.Done       => MoveOutcome.Moved
          case HadoopFiles.Renamed.SourceGone => MoveOutcome.SourceGone
          // A rename by copy was interrupted before the deletion of the source.
          case HadoopFiles.Renamed.TargetThere
              if files.renaming != Renaming.Atomic && HadoopFiles.same(files, source, target) =>
            files.delete(source)
            MoveOutcome.Moved
          case HadoopFiles.Renamed.TargetThere => MoveOutcome.TargetTaken
          case HadoopFiles.Renamed.NoDirectory =>
            throw new IOException(s"$source could not be renamed to $target")
        }
    catch { case _: IOException if files.status(source).isEmpty => MoveOutcome.SourceGone }
  }

  /** Copies through this process. If a process died during the copy, the copy is repeated. */
  override def duplicate(from: String, to: String): Unit = io(to) {
    val (source, target) = (files.at(from), files.at(to))
    val system           = files.fileSystem
    if (!files.status(target).map(_.getLen).contains(system.getFileStatus(source).getLen))
      if (!FileUtil.copy(system, source, system, target, false, true, system.getConf))
        throw new IOException(s"$source could not be copied to $target")
  }

  override def delete(paths: Seq[String]): Unit =
    paths.foreach(path => io(path)(files.delete(files.at(path))))

  override def deleteTree(directory: String): Unit = io(directory) {
    files.fileSystem.delete(files.at(directory), true)
    ()
  }

  /** Many file systems check the directory and then delete all files in the directory, also files that have
    * appeared since. There an empty directory remains.
    */
  override def deleteEmpty(directory: String): Unit =
    if (directory.nonEmpty && files.renaming == Renaming.Atomic)
      try files.deleteIfEmpty(files.at(directory), files.at(""))
      catch { case _: IOException => () }

  override def refuseUnseen(paths: Seq[String]): Unit =
    if (files.areLocal)
      paths.find(!exists(_)).foreach(path => throw HostPaths.unseenByDriver(files.root, path, Machine.here))

  override def isClosed(path: String): Option[Boolean] = None

  /** Only HDFS is known to enforce owners. */
  override def otherOwner(path: String): Option[OtherOwner] =
    if (!files.isHdfs) None
    else {
      val user = UserGroupInformation.getCurrentUser.getShortUserName
      files.status(files.at(path)).map(_.getOwner).filter(_ != user).map(OtherOwner(_, user))
    }

  override def describe(path: String): String = files.at(path).toString

  /** Writes a new file. Durable on return. */
  protected def write(path: Path)(content: OutputStream => Unit): Unit =
    Using.resource(files.create(path)) { out =>
      val buffered = new BufferedOutputStream(out)
      content(buffered)
      buffered.flush()
      files.flush(out)
    }

  protected final def info(found: FileStatus): FileInfo = {
    val kind   = if (found.isDirectory) FileInfo.Directory else FileInfo.File(found.getLen)
    val millis = Option.when(!found.isDirectory || files.isHdfs)(found.getModificationTime)
    // Hadoop's own links are not followed: the target may be in another file system, or unknown.
    val link = Option.when(found.isSymlink)(Link.Refused(s"it points to ${found.getSymlink}"))
    FileInfo(files.relative(found.getPath), kind, millis, link)
  }

  protected final def io[A](path: String)(action: => A): A = files.writing(files.at(path))(action)

  /** A server that renames in one step creates in one step, too. Any other file system may check the name and
    * then create the file, so that several callers succeed.
    */
  private def markedByServer(target: Path): PutOutcome =
    try {
      files.createEmpty(target)
      PutOutcome.Created
    } catch {
      case _: FileAlreadyExistsException                    => PutOutcome.Taken
      case _: IOException if files.status(target).isDefined => PutOutcome.Taken // its creator has a lease
    }

  /** All marks have the same bytes, so a mark does not show its creator. If the response was lost, the result
    * is `Taken`.
    */
  private def markedAlone(target: Path): PutOutcome =
    try {
      files.createAlone(target).close()
      PutOutcome.Created
    } catch { case _: IOException if files.status(target).isDefined => PutOutcome.Taken }

  /** Writes a draft first, so that no reader sees an incomplete file. */
  private def renamed(path: String, content: OutputStream => Unit): PutOutcome = {
    val target    = files.at(path)
    val directory = drafts.getOrElse(FileStore.directoryOf(path))
    val draft     = files.at(FileStore.path(directory, s".${target.getName}.${UUID.randomUUID()}"))
    write(draft)(content)
    files.renameInto(draft, target) match {
      case HadoopFiles.Renamed.Done        => PutOutcome.Created
      case HadoopFiles.Renamed.TargetThere =>
        files.delete(draft)
        PutOutcome.Taken
      case HadoopFiles.Renamed.SourceGone | HadoopFiles.Renamed.NoDirectory =>
        throw new FileNotFoundException(s"$draft was removed before it became $target")
    }
  }

  /** An object appears complete when its stream is closed, or not at all if an object exists by then.
    *
    * If a response is lost and the client repeats the request, the client's own first request makes the
    * second request fail. The bytes of the object show whether this call created the object.
    */
  private def created(target: Path, content: OutputStream => Unit): PutOutcome = {
    val digest = MessageDigest.getInstance("SHA-256")
    try {
      val out = files.createAlone(target)
      try {
        val digested = new DigestOutputStream(out, digest)
        content(digested)
        digested.flush()
      } catch {
        case e: Throwable => // closing would create an incomplete object
          Try(out.abort())
          throw e
      }
      out.close()
      PutOutcome.Created
    } catch {
      case e: IOException =>
        if (files.status(target).isEmpty) throw e
        else if (MessageDigest.isEqual(digest.digest(), digestOf(target))) PutOutcome.Created
        else PutOutcome.Taken
    }
  }

  private def digestOf(path: Path): Array[Byte] = {
    val digest = MessageDigest.getInstance("SHA-256")
    Using.resource(new DigestInputStream(files.open(path), digest)) {
      _.transferTo(OutputStream.nullOutputStream())
    }
    digest.digest()
  }
}

private[stoplog] object HadoopFileStore {
  private val ByRename = StoreExclusion.Known(CapabilityProbe.Exclusion.ByRename)

  /** The files under a sink's path. */
  def ofSink(
      files: HadoopFiles,
      sinkId: String,
      exclusion: StoreExclusion = ByRename
  ): HadoopFileStore =
    new HadoopFileStore(files, Some(SinkDirectory(sinkId).open), exclusion)
}
