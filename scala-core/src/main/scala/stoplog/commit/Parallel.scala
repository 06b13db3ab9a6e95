// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{ExecutorService, TimeUnit}

import stoplog.thread.{Pooled, Uninterrupted}

/** Runs the same action over many parts. The first failure is thrown once all actions have ended. */
trait Parallel {
  def map[A, B](items: Seq[A])(action: A => B): Seq[B]

  /** The same for work of seconds, of which even two are worth a thread each: at most so many at a time. */
  def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B]

  /** Runs what has been decided where an interrupt of the caller does not stop it half-way: a request to a server
    * that is broken off has an unknown outcome. The interrupt is kept.
    */
  def uninterrupted[A](action: => A): A
}

object Parallel {

  /** One after the other, on the caller's thread. */
  val sequential: Parallel = new Parallel {
    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] = items.toVector.map(action)
    override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] = map(items)(action)
    override def uninterrupted[A](action: => A): A                                 = action
  }

  /** Up to `threads` at a time, all of them to the end; small inputs stay on the caller's thread. */
  def bounded(threads: Int): Parallel = new OnThreads(threads) {
    override protected def await(pool: ExecutorService): Unit = ()
  }

  /** The same for actions that are useless once the caller is interrupted: then all of them are interrupted, too.
    *
    * Error of `map`: `InterruptedException`, when all of them have ended.
    */
  def interruptible(threads: Int): Parallel = new OnThreads(threads) {
    override protected def await(pool: ExecutorService): Unit = {
      pool.shutdown()
      try {
        pool.awaitTermination(Long.MaxValue, TimeUnit.NANOSECONDS)
        ()
      } catch {
        case e: InterruptedException =>
          pool.shutdownNow()
          Uninterrupted.call(pool.awaitTermination(Long.MaxValue, TimeUnit.NANOSECONDS))
          throw e
      }
    }
  }

  private abstract class OnThreads(threads: Int) extends Parallel {

    /** Returns when all actions have ended, or earlier if they are to be waited for without being interrupted. */
    protected def await(pool: ExecutorService): Unit

    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] =
      if (items.sizeIs <= 2) sequential.map(items)(action) else mapWork(items, threads)(action)

    override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] =
      if (items.sizeIs <= 1 || atOnce <= 1) sequential.map(items)(action)
      else Pooled.map(items, atOnce.min(threads), "stoplog-storage", await)(action)

    override def uninterrupted[A](action: => A): A = Uninterrupted.call(action)
  }
}
