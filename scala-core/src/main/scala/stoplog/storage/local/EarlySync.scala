// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.io.RandomAccessFile
import java.util.concurrent.{Callable, Executors, Future}

import stoplog.thread.{Daemons, Uninterrupted}

/** Brings a part's bytes to the disk while the task still encodes rows, so that the end of the epoch need not wait
  * for all of them. The end still forces the whole file: this is for speed alone.
  *
  * An operating system may report a failed write only once for an open file, and the early call may be the one that
  * hears of it. So its failure is kept and thrown by [[await]].
  */
private[local] final class EarlySync(file: RandomAccessFile, durability: LocalForcing) {
  import EarlySync._

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

private[local] object EarlySync {

  /** Enough to keep a disk busy, and few enough calls for them to cost nothing. */
  private val EveryBytes = 8L << 20

  private lazy val threads = Executors.newCachedThreadPool(Daemons.named("stoplog-sync"))
}
