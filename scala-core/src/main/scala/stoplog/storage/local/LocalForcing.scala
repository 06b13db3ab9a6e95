// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{FileNotFoundException, IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{
  AccessDeniedException, FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption
}
import java.util.concurrent.{Callable, ConcurrentHashMap, Executors, Future}

import scala.annotation.tailrec
import scala.util.{Failure, Success, Try}

import stoplog.storage.Durability
import stoplog.thread.{Daemons, Uninterrupted}

/** Forces bytes and names to a local disk, as required by a [[Durability]]. */
private[stoplog] trait LocalForcing extends Serializable {
  private[local] def sync(file: RandomAccessFile): Unit
  private[local] def sync(channel: FileChannel): Unit
  private[local] def syncDirectory(directory: Path): Unit

  /** The failures that forced bytes and names survive. */
  private[local] def survived: Durability = Durability.Disk

  /** Forces the directory of a name that was created, or removed by a move. */
  private[local] final def syncAround(name: Path): Unit = syncIfThere(name.getParent)

  /** Like the other [[syncAround]], for a name that decides. If the directory does not exist and the nearest
    * parent is on another file system, the disk is away, and the name may be lost.
    *
    * @param device the file system of the name
    */
  private[local] final def syncAround(name: Path, device: Option[Long]): Unit =
    try syncDirectory(name.getParent)
    catch { case _: NoSuchFileException if LocalFiles.device(name) == device => () }

  /** Forces the names in a directory. If the directory does not exist, another job has moved or deleted the
    * files, and has removed the empty directory, so nothing remains to be forced.
    */
  private[local] final def syncIfThere(directory: Path): Unit =
    try syncDirectory(directory)
    catch { case _: NoSuchFileException => () }

  /** Whether [[syncDirectory]] has an effect. */
  private[local] final def forcesNames: Boolean = survived == Durability.Disk

  /** Returns a sync that writes bytes before [[sync]]; `None` if an early sync saves no time. */
  private[local] def early(file: RandomAccessFile): Option[LocalForcing.EarlySync] = None
}

private[stoplog] object LocalForcing {

  def of(durability: Durability): LocalForcing = durability match {
    case Durability.Disk    => Disk
    case Durability.Process => Process
  }

  /** Forces bytes to the disk before a record names them. Committed bytes survive a power loss. */
  case object Disk extends LocalForcing {
    private[local] override def sync(file: RandomAccessFile): Unit = file.getFD.sync()

    private[local] override def sync(channel: FileChannel): Unit = channel.force(true)

    private[local] override def early(file: RandomAccessFile): Option[EarlySync] =
      Some(new EarlySync(file, this))

    /** A directory can be forced only through a channel. */
    private[local] override def syncDirectory(directory: Path): Unit =
      Uninterrupted.channel(directory, StandardOpenOption.READ)(_.force(true))
  }

  /** Passes bytes to the operating system. They survive the death of any process, but not a power loss. */
  case object Process extends LocalForcing {
    private[local] override def sync(file: RandomAccessFile): Unit   = ()
    private[local] override def sync(channel: FileChannel): Unit     = ()
    private[local] override def syncDirectory(directory: Path): Unit = ()
    private[local] override def survived: Durability                 = Durability.Process
  }

  /** Creates the directory and its missing parents, and makes each directory durable in its parent.
    *
    * Also forces existing directories, once per process: the thread or process that created a directory may
    * not have reached the second step, or may have failed there. Forces the existing parents up to the root
    * of the file system.
    */
  private[local] def createDirectories(directory: Path, durability: LocalForcing): Unit =
    keyOf(directory) match {
      case Some(there) =>
        if (durability.forcesNames && !isForced(directory, there)) forceFound(directory, durability)
      case None =>
        Option(directory.getParent).foreach(createDirectories(_, durability))
        try Files.createDirectory(directory)
        catch {
          case e: FileAlreadyExistsException =>
            if (Files.isRegularFile(directory)) throw new IOException(s"$directory is not a directory", e)
            if (!Files.isDirectory(directory))
              throw new NoSuchFileException(directory.toString) // removed meanwhile
        }
        force(directory, durability)
    }

  /** Creates a name in a directory, and creates the directory if necessary. Other jobs remove empty
    * directories, possibly between the two steps. Therefore both steps are retried if a name is not found.
    */
  @tailrec
  private[local] def creatingIn[A](directory: Path, durability: LocalForcing, tries: Int = MostTries)(
      create: => A
  ): A =
    Try {
      createDirectories(directory, durability)
      create
    } match {
      case Success(created)                                                        => created
      case Failure(_: FileNotFoundException | _: NoSuchFileException) if tries > 1 =>
        creatingIn(directory, durability, tries - 1)(create)
      case Failure(e) => throw e
    }

  /** Called when this process has removed the directory: another directory may get the same inode number. */
  private[local] def removed(directory: Path): Unit = {
    forced.remove(directory)
    ()
  }

  /** A directory that the user may not read was created by another user, long before the sink, and cannot be
    * forced here.
    */
  private def forceFound(directory: Path, durability: LocalForcing): Unit = Option(directory.getParent)
    .filter(LocalFiles.areOnOneFileSystem(directory, _))
    .foreach { parent =>
      createDirectories(parent, durability)
      try force(directory, durability)
      catch { case _: AccessDeniedException => () }
    }

  private def force(directory: Path, durability: LocalForcing): Unit = {
    val made = keyOf(directory)
    Option(directory.getParent).foreach(durability.syncDirectory)
    if (durability.forcesNames) {
      if (forced.size >= MostKnown) forced.clear()
      made.foreach(forced.put(directory, _))
    }
  }

  private def isForced(directory: Path, there: AnyRef): Boolean = there == forced.get(directory)

  /** Returns a key that usually distinguishes a directory from a later directory with the same name; `None`
    * if there is no directory.
    */
  private def keyOf(directory: Path): Option[AnyRef] =
    try
      LocalFiles
        .attributes(directory)
        .filter(_.isDirectory)
        .map(there => Option(there.fileKey).getOrElse(directory))
    catch { case _: IOException => None }

  /** Directories that are durable in their parents. A missing entry costs one redundant call. */
  private val forced = new ConcurrentHashMap[Path, AnyRef]()

  private val MostKnown = 20000

  private val MostTries = 20

  /** Writes a part's bytes to the disk while the task still encodes rows, so that the end of the epoch need
    * not wait for all bytes. The end of the epoch still forces the whole file: the early sync only saves
    * time.
    *
    * An operating system may report a failed write only once per open file, and possibly to the early call.
    * So the failure is kept, and [[await]] throws it.
    */
  private[local] final class EarlySync(file: RandomAccessFile, durability: LocalForcing) {
    private[this] var bytesSince = 0L
    private[this] var running    = Option.empty[Future[Unit]]

    def wrote(bytes: Int): Unit = {
      bytesSince += bytes
      if (bytesSince >= EveryBytes && running.forall(_.isDone)) {
        await()
        bytesSince = 0
        running = Some(threads.submit((() => durability.sync(file)): Callable[Unit]))
      }
    }

    /** Waits for the running call. Error: the `IOException` of this call. */
    def await(): Unit = {
      running.foreach(future => Uninterrupted.get(future).fold(throw _, identity))
      running = None
    }
  }

  /** Large enough to keep a disk busy, and rare enough that the calls cost no time. */
  private val EveryBytes = 8L << 20

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-sync"))
}
