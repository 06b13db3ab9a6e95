// SPDX-License-Identifier: Apache-2.0
package stoplog.store.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.FileChannel
import java.nio.file.{FileAlreadyExistsException, Files, NoSuchFileException, Path, StandardOpenOption}

import stoplog.thread.Uninterrupted

/** How much has to go wrong before committed bytes are gone. */
sealed trait Durability extends Serializable {
  private[local] def sync(file: RandomAccessFile): Unit
  private[local] def sync(channel: FileChannel): Unit
  private[local] def syncDirectory(directory: Path): Unit
}

object Durability {

  /** Bytes are forced to the disk before a record names them: they survive a power loss. */
  case object Disk extends Durability {
    private[local] override def sync(file: RandomAccessFile): Unit = file.getFD.sync()

    private[local] override def sync(channel: FileChannel): Unit = channel.force(true)

    /** A directory can be forced through a channel only. */
    private[local] override def syncDirectory(directory: Path): Unit =
      Uninterrupted.channel(directory, StandardOpenOption.READ)(_.force(true))
  }

  /** Bytes are handed to the operating system: they survive the death of any process, but not a power loss. */
  case object Process extends Durability {
    private[local] override def sync(file: RandomAccessFile): Unit   = ()
    private[local] override def sync(channel: FileChannel): Unit     = ()
    private[local] override def syncDirectory(directory: Path): Unit = ()
  }

  /** Creates the directory and its missing parents, each made durable in its own parent. */
  private[local] def createDirectories(directory: Path, durability: Durability): Unit =
    if (!Files.isDirectory(directory)) {
      val parent = directory.getParent
      if (parent != null) createDirectories(parent, durability)
      try {
        Files.createDirectory(directory)
        if (parent != null) durability.syncDirectory(parent)
      } catch {
        case e: FileAlreadyExistsException =>
          if (Files.isRegularFile(directory)) throw new IOException(s"$directory is not a directory", e)
          if (!Files.isDirectory(directory))
            throw new NoSuchFileException(directory.toString) // removed meanwhile
      }
    }
}
