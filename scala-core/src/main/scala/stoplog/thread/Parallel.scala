// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.util.concurrent.{ExecutorService, TimeUnit}

import scala.util.control.NonFatal

/** Runs one action for many items, for all items even if some actions fail. Throws the first failure once all
  * actions have ended, with the others suppressed.
  */
private[stoplog] trait Parallel {
  def map[A, B](items: Seq[A])(action: A => B): Seq[B]

  /** Does the same for work of seconds, where even two items need threads; up to `atOnce` at a time. */
  def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B]

  /** Runs a decided action to its end, regardless of an interrupt of the caller: an aborted request to a
    * server has an unknown outcome. The interrupt is kept.
    */
  def uninterrupted[A](action: => A): A
}

private[stoplog] object Parallel {

  /** Runs one action after another, on the caller's thread. */
  val sequential: Parallel = new Parallel {
    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] =
      Outcomes.all(items.toVector.map { item =>
        try Right(action(item))
        catch { case NonFatal(e) => Left(e) }
      })

    override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] = map(items)(action)
    override def uninterrupted[A](action: => A): A                                 = action
  }

  /** Runs up to `threads` actions at a time, and completes all; the caller's thread runs small inputs. */
  def bounded(threads: Int): Parallel = new OnThreads(threads) {
    override protected def await(pool: ExecutorService): Unit = ()
  }

  /** Does the same for actions that are useless after an interrupt of the caller: then all actions are
    * interrupted.
    *
    * Error of `map`: `InterruptedException`, after all actions have ended.
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

    /** Waits for all actions to end. May return earlier if an interrupt must not stop the actions. */
    protected def await(pool: ExecutorService): Unit

    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] =
      if (items.sizeIs <= 2) sequential.map(items)(action) else mapWork(items, threads)(action)

    override def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B] =
      if (items.sizeIs <= 1 || atOnce <= 1) sequential.map(items)(action)
      else Pooled.map(items, atOnce.min(threads), "stoplog-storage", await)(action)

    override def uninterrupted[A](action: => A): A = Uninterrupted.call(action)
  }
}
