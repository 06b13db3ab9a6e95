package stoplog.store.hdfs

import java.util.concurrent.{Callable, Executors}

/** Runs many short calls of a server a few at a time. */
private[hdfs] object Bounded {

  /** The results in the order of the items. Error: the first action's that failed. */
  def map[A, B](items: Vector[A])(action: A => B): Vector[B] = if (items.sizeIs <= 1) items.map(action)
  else {
    val pool = Executors.newFixedThreadPool(items.size.min(Threads))
    try items.map(item => pool.submit((() => action(item)): Callable[B])).map(_.get())
    finally {
      pool.shutdownNow()
      ()
    }
  }

  /** They wait for the server, and do not compute. */
  private val Threads = 16
}
