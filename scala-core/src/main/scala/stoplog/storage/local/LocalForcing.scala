// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}
import java.util.concurrent.ConcurrentHashMap

import stoplog.storage.Durability
import stoplog.thread.Uninterrupted

/** Forces bytes and names to a local disk, as far as a [[Durability]] asks. */
private[stoplog] trait LocalForcing extends Serializable {
  private[local] def sync(file: RandomAccessFile): Unit
  private[local] def sync(channel: FileChannel): Unit
  private[local] def syncDirectory(directory: Path): Unit

  /** The sync that brings a file's bytes to the disk before [[sync]], where that pays. */
  private[local] def early(file: RandomAccessFile): Option[EarlySync] = None
}

object LocalForcing {

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
  }

  /** Creates the directory and its missing parents, each made durable in its own parent.
    *
    * Also one that is there because another thread has just made it: that thread may not have come to the second step, or
    * have failed at it.
    */
  private[local] def createDirectories(directory: Path, durability: LocalForcing): Unit =
    if (Files.isDirectory(directory)) {
      if (unforced.contains(directory)) force(directory, durability)
    } else {
      Option(directory.getParent).foreach(createDirectories(_, durability))
      unforced.add(directory)
      try Files.createDirectory(directory)
      catch {
        case e: FileAlreadyExistsException =>
          if (Files.isRegularFile(directory)) throw new IOException(s"$directory is not a directory", e)
          if (!Files.isDirectory(directory))
            throw new NoSuchFileException(directory.toString) // removed meanwhile
      }
      force(directory, durability)
    }

  private def force(directory: Path, durability: LocalForcing): Unit = {
    Option(directory.getParent).foreach(durability.syncDirectory)
    unforced.remove(directory)
    ()
  }

  /** Directories of this process that are made, and maybe not durable in their parents. */
  private val unforced = ConcurrentHashMap.newKeySet[Path]()
}
