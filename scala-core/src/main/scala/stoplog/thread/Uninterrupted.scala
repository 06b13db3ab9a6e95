// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.{OpenOption, Path}
import java.util.concurrent.{ExecutionException, Future, FutureTask}

/** Work that an interrupt does not stop half-way: `query.stop()` interrupts the thread that commits, and what has been
  * decided is still carried out. The interrupt is kept for the caller.
  */
private[stoplog] object Uninterrupted {

  /** Runs the action on a thread of its own, which is never interrupted, and waits for its end. */
  def call[A](action: => A): A = {
    val task = new FutureTask[A](() => action)
    Daemons.named("stoplog-uninterrupted").newThread(task).start()
    get(task).fold(throw _, identity)
  }

  /** An interrupt closes channels: so try again.
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

  /** How the future ended: with its result, or with what its action threw. */
  def get[A](future: Future[A]): Either[Throwable, A] = {
    val interrupted = Thread.interrupted()
    try Right(future.get())
    catch {
      case wrapped: ExecutionException => Left(wrapped.getCause)
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
