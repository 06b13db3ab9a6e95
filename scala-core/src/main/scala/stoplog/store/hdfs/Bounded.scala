package stoplog.store.hdfs

import java.util.concurrent.{Callable, Executors}

import stoplog.thread.{Daemons, Uninterrupted}

/** Runs many short calls of a server a few at a time. */
private[hdfs] object Bounded {

  /** The results in the order of the items, once all actions have ended. Error: the first action's that failed. */
  def map[A, B](items: Vector[A])(action: A => B): Vector[B] = if (items.sizeIs <= 1) items.map(action)
  else {
    val pool = Executors.newFixedThreadPool(items.size.min(Threads), Daemons.named("stoplog-hdfs"))
    try {
      val running = items.map(item => pool.submit((() => action(item)): Callable[B]))
      running.map(future => Uninterrupted.get(future)).map(_.fold(throw _, identity))
    } finally pool.shutdown()
  }

  /** They wait for the server, and do not compute. */
  private val Threads = 16
}
