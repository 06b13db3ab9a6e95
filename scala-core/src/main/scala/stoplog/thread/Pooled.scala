// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{Callable, ExecutorService, Executors}

/** Threads for as long as one call takes: they wait for a storage, and do not compute. */
private[stoplog] object Pooled {

  /** The results in the order of the items, once all actions have ended. Error: the first action's that failed.
    *
    * @param name  of the threads
    * @param await called when all actions have been started
    */
  def map[A, B](items: Seq[A], threads: Int, name: String, await: ExecutorService => Unit)(
      action: A => B
  ): Seq[B] = {
    val pool = Executors.newFixedThreadPool(threads.min(items.size), Daemons.named(name))
    try {
      val running = items.toVector.map(item => pool.submit((() => action(item)): Callable[B]))
      await(pool)
      running.map(future => Uninterrupted.get(future)).map(_.fold(throw _, identity))
    } finally pool.shutdown()
  }
}
