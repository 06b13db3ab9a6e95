// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.net.InetAddress
import java.nio.channels.{FileChannel, FileLock, OverlappingFileLockException}
import java.nio.file.{Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.UUID

import scala.collection.mutable
import scala.util.Try

import stoplog.error.Errors

/** The processes that may still write for a run: a locked file for each process and run, shared by its tasks.
  *
  * The operating system drops the lock when the process ends, however it ends. It also drops it as soon as the
  * process closes any descriptor of the file, so a process never opens the file of a lease that it holds itself:
  * it looks into [[held]] first.
  */
private[local] object WriterLeases {
  private[local] final class Held(val channel: FileChannel, val lock: FileLock, var tasks: Int)

  private val process     = UUID.randomUUID().toString.take(8)
  private[local] val held = mutable.Map.empty[Path, Held] // tests let processes die through it

  /** Errors: `IOException` when the file system has no locks. */
  def enter(directory: Path, run: String, durability: LocalForcing): AutoCloseable = synchronized {
    val file = directory.resolve(s"$run-$process.lock").toAbsolutePath
    val mine = held.getOrElseUpdate(file, lock(directory, file, durability))
    mine.tasks += 1
    new AutoCloseable {
      private[this] var open = true

      override def close(): Unit = WriterLeases.synchronized {
        if (open) leave(file, mine)
        open = false
      }
    }
  }

  /** Whether every lease of other runs is free; free ones are removed. */
  def othersGone(directory: Path, run: String): Boolean = synchronized {
    leases(directory).filterNot(_.getFileName.toString.startsWith(run)).map(isFree).forall(identity)
  }

  private def leave(file: Path, mine: Held): Unit = {
    mine.tasks -= 1
    if (mine.tasks == 0) {
      held.remove(file)
      try Files.deleteIfExists(file) // first: no other process must lock a file that is about to go
      finally mine.channel.close()
      ()
    }
  }

  @scala.annotation.tailrec
  private def lock(directory: Path, file: Path, durability: LocalForcing): Held = {
    LocalForcing.createDirectories(directory, durability)
    val channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
    val lock    =
      try channel.tryLock()
      catch { case e: IOException => channel.close(); throw e }
    if (lock == null) {
      channel.close()
      throw new IOException(s"$file is locked by another process")
    }
    if (LocalFiles.exists(file)) new Held(channel, lock, tasks = 0)
    else { // another process looked between the two steps, found it free and removed it: none would see this lock
      channel.close()
      this.lock(directory, file, durability)
    }
  }

  private def leases(directory: Path): Seq[Path] = LocalFiles.list(directory).map(_.toAbsolutePath)

  private def isFree(file: Path): Boolean = !held.contains(file) && {
    try {
      val channel = FileChannel.open(file, StandardOpenOption.WRITE)
      try {
        val free = channel.tryLock() != null
        if (free) Files.deleteIfExists(file)
        free
      } finally channel.close()
    } catch {
      case _: NoSuchFileException          => true
      case _: OverlappingFileLockException => false
    }
  }

  /** The hosts that may write under a path.
    *
    * On NFS and its like each host sees the log through a cache of its own, up to a minute old, and a lock is lost with its
    * lease while the file that it stands for is still written: neither a task's look for newer records nor the driver's
    * look for locks is to be believed there (I1, decision 0002). So driver and tasks have to be on one host.
    *
    * @param driver the host of the driver, where the store is made; it is sent to the tasks
    * @param here   the host that asks
    * @param kindOf the kind of a path's file system, as the operating system calls it
    */
  final class HostsOfPath(driver: String, here: () => String, kindOf: Path => String) extends Serializable {

    /** Error: `STOPLOG_NETWORK_FILE_SYSTEM`. */
    def refuseOthers(path: Path): Unit = if (here() != driver) {
      val kind = kindOf(path)
      if (HostsOfPath.Cached.exists(kind.startsWith))
        throw Errors.networkFileSystem(path.toString, kind, here(), driver)
    }
  }

  object HostsOfPath {
    def ofThisDriver: HostsOfPath = new HostsOfPath(host, () => host, kind)

    private val Cached = Seq("nfs", "cifs", "smb", "fuse.sshfs")

    private lazy val host: String = Try(InetAddress.getLocalHost.getHostName).getOrElse("unknown")

    /** The type of a path's file system; `unknown`, which is not refused, if the operating system does not tell. */
    private val kind: Path => String = path =>
      Iterator
        .iterate(path)(_.getParent)
        .takeWhile(_ != null)
        .find(Files.exists(_))
        .flatMap(there => Try(Files.getFileStore(there).`type`).toOption)
        .getOrElse("unknown")
  }
}
