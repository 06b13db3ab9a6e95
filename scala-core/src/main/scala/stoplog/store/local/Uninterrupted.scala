package stoplog.store.local

import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.{OpenOption, Path}

/** Channels that an interrupt does not stop half-way. */
private[local] object Uninterrupted {

  /** An interrupt closes channels: so try again, and keep the interrupt for whoever waits for it.
    *
    * @param action may run more than once
    */
  def channel[A](path: Path, option: OpenOption)(action: FileChannel => A): A = {
    val interrupted = Thread.interrupted()
    try once(path, option)(action)
    catch {
      case _: ClosedByInterruptException =>
        try channel(path, option)(action)
        finally Thread.currentThread().interrupt()
    } finally if (interrupted) Thread.currentThread().interrupt()
  }

  private def once[A](path: Path, option: OpenOption)(action: FileChannel => A): A = {
    val channel = FileChannel.open(path, option)
    try action(channel)
    finally channel.close()
  }
}
