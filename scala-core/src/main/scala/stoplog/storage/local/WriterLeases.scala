// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.IOException
import java.nio.channels.{FileChannel, FileLock, OverlappingFileLockException}
import java.nio.file.{Files, NoSuchFileException, Path, Paths, StandardOpenOption}
import java.util.UUID

import scala.collection.mutable

import stoplog.storage.RealPath

/** The processes that may still write for a run. Each process has one locked file per run, which its tasks
  * share.
  *
  * The operating system releases the lock when the process ends, regardless of how the process ends. It also
  * releases the lock as soon as the process closes any descriptor of the file. So a process never opens the
  * file of a lease that it holds, but checks [[held]] first.
  */
private[local] object WriterLeases {
  private[local] final class Held(val channel: FileChannel, val lock: FileLock, var tasks: Int)

  private val process     = UUID.randomUUID().toString.take(8)
  private[local] val held = mutable.Map.empty[Path, Held] // tests simulate dead processes by it

  /** Errors: `IOException` if the file system has no locks. */
  def enter(directory: Path, run: String, durability: LocalForcing): AutoCloseable = synchronized {
    val file  = real(directory).resolve(s"$run-$process.lock")
    val lease = held.getOrElseUpdate(file, lock(directory, file, durability))
    lease.tasks += 1
    new AutoCloseable {
      private[this] var open = true

      override def close(): Unit = WriterLeases.synchronized {
        if (open) leave(file, lease)
        open = false
      }
    }
  }

  /** Whether every lease of other runs is free. Removes free leases. Looks again at a taken lease: another
    * process may look as well, and has the lock for a moment.
    */
  @scala.annotation.tailrec
  def othersGone(directory: Path, run: String, left: Int = LookTries): Boolean = {
    val (taken, isHeldHere) = synchronized {
      val busy = leases(directory).filterNot(_.getFileName.toString.startsWith(run)).filterNot(isFree)
      (busy.nonEmpty, busy.exists(held.contains))
    }
    if (!taken) true
    else if (isHeldHere || left == 1) false
    else {
      Thread.sleep(LookEveryMillis)
      othersGone(directory, run, left - 1)
    }
  }

  /** Whether any process has announced itself for this run. */
  def isAnnounced(directory: Path, run: String): Boolean =
    LocalFiles.list(directory).exists(_.getFileName.toString.startsWith(s"$run-"))

  private def leave(file: Path, lease: Held): Unit = {
    lease.tasks -= 1
    if (lease.tasks == 0) {
      held.remove(file)
      try Files.deleteIfExists(file) // first: no other process must lock a file that is about to be deleted
      finally lease.channel.close()
      ()
    }
  }

  @scala.annotation.tailrec
  private def lock(directory: Path, file: Path, durability: LocalForcing, left: Int = MostTries): Held = {
    val channel = LocalForcing.creatingIn(directory, durability) {
      FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
    }
    val lock =
      try channel.tryLock()
      catch { case e: IOException => channel.close(); throw e }
    if (lock != null && LocalFiles.exists(file)) new Held(channel, lock, tasks = 0)
    else {
      // Another process has found the new file unlocked. It has the lock for a moment, or has removed the
      // file: no process would see this lock.
      channel.close()
      if (left == 1) throw new IOException(s"$file is locked by another process")
      if (lock == null) Thread.sleep(LookEveryMillis)
      this.lock(directory, file, durability, left - 1)
    }
  }

  private val MostTries       = 200
  private val LookTries       = 4
  private val LookEveryMillis = 5L

  private def leases(directory: Path): Seq[Path] = LocalFiles.list(real(directory))

  /** Two spellings of a path have one key in [[held]]. */
  private def real(directory: Path): Path = Paths.get(RealPath.of(directory.toAbsolutePath.toString))

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
}
