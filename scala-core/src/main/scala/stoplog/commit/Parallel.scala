package stoplog.commit

import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.annotation.tailrec
import scala.util.Try

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
          val results = running.map(future => Try(uninterrupted(future)))
          results.map(_.recover { case wrapped: ExecutionException => throw wrapped.getCause }.get)
        } finally pool.shutdown()
      }
  }

  /** `query.stop()` interrupts the thread that commits. What has been decided is still carried out. */
  @tailrec
  private def uninterrupted[B](future: Future[B], interrupted: Boolean = false): B = {
    val result =
      try Some(future.get())
      catch { case _: InterruptedException => None }
    result match {
      case Some(value) =>
        if (interrupted) Thread.currentThread().interrupt()
        value
      case None => uninterrupted(future, interrupted = true)
    }
  }

  private def daemon(task: Runnable): Thread = {
    val thread = new Thread(task, "stoplog-publish")
    thread.setDaemon(true)
    thread
  }
}
