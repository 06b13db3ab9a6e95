package stoplog.store.local

import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.{OpenOption, Path}
import java.util.concurrent.{ExecutionException, Future}

/** What an interrupt does not stop half-way. */
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

  /** The future's result. An interrupt is kept for whoever waits for it. Error: what the future's action threw. */
  def get[A](future: Future[A]): A = {
    val interrupted = Thread.interrupted()
    try future.get()
    catch {
      case wrapped: ExecutionException => throw wrapped.getCause
      case _: InterruptedException     =>
        try get(future)
        finally Thread.currentThread().interrupt()
    } finally if (interrupted) Thread.currentThread().interrupt()
  }

  private def once[A](path: Path, option: OpenOption)(action: FileChannel => A): A = {
    val channel = FileChannel.open(path, option)
    try action(channel)
    finally channel.close()
  }
}
