// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.util.concurrent.{Callable, CompletableFuture, Executors, Future, Semaphore}

import stoplog.thread.{Daemons, Uninterrupted}

/** The threads that bring parts to S3 while rows are encoded; shared by all tasks of a process. */
private[s3] final class UploadThreads(threads: Int) {
  private[this] val free = new Semaphore(threads)
  private[this] val pool = Executors.newCachedThreadPool(Daemons.named("stoplog-upload"))

  /** Starts the action as soon as a thread is free, and waits until then: that bounds what is held in memory. */
  def submit[A](action: Callable[A]): CompletableFuture[A] = {
    val result = new CompletableFuture[A]
    free.acquireUninterruptibly()
    pool.execute { () =>
      try result.complete(action.call())
      catch { case e: Throwable => result.completeExceptionally(e) }
      finally free.release()
      ()
    }
    result
  }
}

private[s3] object UploadThreads {
  private val pools = scala.collection.mutable.Map.empty[Int, UploadThreads]

  /** The process's own. */
  def of(threads: Int): UploadThreads = synchronized(
    pools.getOrElseUpdate(threads, new UploadThreads(threads))
  )

  /** The result of the action. Error: what it threw. */
  def await[A](future: Future[A]): A = Uninterrupted.get(future).fold(throw _, identity)
}
