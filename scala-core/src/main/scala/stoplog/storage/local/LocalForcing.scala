// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{
  AccessDeniedException, FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption
}
import java.util.concurrent.{Callable, ConcurrentHashMap, Executors, Future}

import stoplog.storage.Durability
import stoplog.thread.{Daemons, Uninterrupted}

/** Forces bytes and names to a local disk, as far as a [[Durability]] asks. */
private[stoplog] trait LocalForcing extends Serializable {
  private[local] def sync(file: RandomAccessFile): Unit
  private[local] def sync(channel: FileChannel): Unit
  private[local] def syncDirectory(directory: Path): Unit

  /** The failures that forced bytes and names survive. */
  private[local] def survived: Durability = Durability.Disk

  /** Whether [[syncDirectory]] does anything. */
  private[local] final def forcesNames: Boolean = survived == Durability.Disk

  /** The sync that brings a file's bytes to the disk before [[sync]], where that pays. */
  private[local] def early(file: RandomAccessFile): Option[LocalForcing.EarlySync] = None
}

private[stoplog] object LocalForcing {

  def of(durability: Durability): LocalForcing = durability match {
    case Durability.Disk    => Disk
    case Durability.Process => Process
  }

  /** Bytes are forced to the disk before a record names them: they survive a power loss. */
  case object Disk extends LocalForcing {
    private[local] override def sync(file: RandomAccessFile): Unit = file.getFD.sync()

    private[local] override def sync(channel: FileChannel): Unit = channel.force(true)

    private[local] override def early(file: RandomAccessFile): Option[EarlySync] =
      Some(new EarlySync(file, this))

    /** A directory can be forced through a channel only. */
    private[local] override def syncDirectory(directory: Path): Unit =
      Uninterrupted.channel(directory, StandardOpenOption.READ)(_.force(true))
  }

  /** Bytes are handed to the operating system: they survive the death of any process, but not a power loss. */
  case object Process extends LocalForcing {
    private[local] override def sync(file: RandomAccessFile): Unit   = ()
    private[local] override def sync(channel: FileChannel): Unit     = ()
    private[local] override def syncDirectory(directory: Path): Unit = ()
    private[local] override def survived: Durability                 = Durability.Process
  }

  /** Creates the directory and its missing parents, each made durable in its own parent.
    *
    * Also those that are there already, once in each process: the thread or the process that has made one may not have come to
    * the second step, or have failed at it. That goes up to where the disk ends.
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

  /** To be called when this process has removed the directory: another one may get its number. */
  private[local] def removed(directory: Path): Unit = {
    forced.remove(directory)
    ()
  }

  /** What a user may not look into, another user has made, long before the sink: it cannot be forced from here. */
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

  /** Tells a directory from another one that gets its name later, as a rule; `None` where there is none. */
  private def keyOf(directory: Path): Option[AnyRef] =
    try
      LocalFiles
        .attributes(directory)
        .filter(_.isDirectory)
        .map(there => Option(there.fileKey).getOrElse(directory))
    catch { case _: IOException => None }

  /** Directories that are durable in their parents. One that is not among them costs a call too many. */
  private val forced = new ConcurrentHashMap[Path, AnyRef]()

  private val MostKnown = 20000

  /** Brings a part's bytes to the disk while the task still encodes rows, so that the end of the epoch need not wait
    * for all of them. The end still forces the whole file: this is for speed alone.
    *
    * An operating system may report a failed write only once for an open file, and the early call may be the one that
    * hears of it. So its failure is kept and thrown by [[await]].
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

    /** Waits for the call that is on its way. Error: the `IOException` that it ended with. */
    def await(): Unit = {
      running.foreach(future => Uninterrupted.get(future).fold(throw _, identity))
      running = None
    }
  }

  /** Enough to keep a disk busy, and few enough calls for them to cost nothing. */
  private val EveryBytes = 8L << 20

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-sync"))
}
