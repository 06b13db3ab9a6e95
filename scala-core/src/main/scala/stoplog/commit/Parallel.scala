package stoplog.commit

import java.util.concurrent.{Callable, Executors}

import stoplog.thread.{Daemons, Uninterrupted}

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
        val pool = Executors.newFixedThreadPool(threads.min(items.size), Daemons.named("stoplog-storage"))
        try {
          val running = items.toVector.map(item => pool.submit((() => action(item)): Callable[B]))
          val results = running.map(future => Uninterrupted.get(future))
          results.map(_.fold(throw _, identity))
        } finally pool.shutdown()
      }
  }
}
