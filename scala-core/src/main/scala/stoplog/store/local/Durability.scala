package stoplog.store.local

import java.io.{IOException, RandomAccessFile}
import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.{FileAlreadyExistsException, Files, Path, StandardOpenOption}

/** How much has to go wrong before committed bytes are gone. */
sealed trait Durability extends Serializable {
  private[local] def sync(file: RandomAccessFile): Unit
  private[local] def syncDirectory(directory: Path): Unit
}

object Durability {

  /** Bytes are forced to the disk before a record names them: they survive a power loss. */
  case object Disk extends Durability {
    private[local] override def sync(file: RandomAccessFile): Unit = file.getFD.sync()

    /** A directory can be forced through a channel only, and an interrupt closes channels: so try again, and keep
      * the interrupt for whoever waits for it.
      */
    private[local] override def syncDirectory(directory: Path): Unit = {
      val interrupted = Thread.interrupted()
      try {
        val channel = FileChannel.open(directory, StandardOpenOption.READ)
        try channel.force(true)
        finally channel.close()
      } catch {
        case _: ClosedByInterruptException =>
          syncDirectory(directory)
          Thread.currentThread().interrupt()
      } finally if (interrupted) Thread.currentThread().interrupt()
    }
  }

  /** Bytes are handed to the operating system: they survive the death of any process, but not a power loss. */
  case object Process extends Durability {
    private[local] override def sync(file: RandomAccessFile): Unit           = ()
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
          if (!Files.isDirectory(directory)) throw new IOException(s"$directory is not a directory", e)
      }
    }
}
