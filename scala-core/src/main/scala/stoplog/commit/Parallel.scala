package stoplog.commit

import java.util.concurrent.{Callable, ExecutionException, Executors, TimeUnit}

/** Runs the same action over many parts. The first failure is thrown once all actions have ended. */
trait Parallel {
  def map[A, B](items: Seq[A])(action: A => B): Seq[B]
}

object Parallel {

  /** One after the other, on the caller's thread. */
  val sequential: Parallel = new Parallel {
    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] = items.toVector.map(action)
  }

  /** Up to `threads` at a time; small inputs stay on the caller's thread. */
  def bounded(threads: Int): Parallel = new Parallel {
    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] =
      if (items.sizeIs <= 2 || threads <= 1) sequential.map(items)(action)
      else {
        val pool = Executors.newFixedThreadPool(threads.min(items.size), daemon(_))
        try {
          val running = items.toVector.map(item => pool.submit((() => action(item)): Callable[B]))
          val results = running.map(future => scala.util.Try(future.get()))
          results.map(_.recover { case wrapped: ExecutionException => throw wrapped.getCause }.get)
        } finally {
          pool.shutdownNow()
          pool.awaitTermination(1, TimeUnit.MINUTES)
          ()
        }
      }
  }

  private def daemon(task: Runnable): Thread = {
    val thread = new Thread(task, "stoplog-publish")
    thread.setDaemon(true)
    thread
  }
}
