// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{ExecutorService, Semaphore, TimeUnit}

import scala.util.control.NonFatal

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.thread.{Backoff, Clock, Outcomes, Pooled, Uninterrupted}

/** Prevents concurrent access of the running epoch and the driver to the open parts (I4).
  *
  * Not owned by a thread, because Spark may start an epoch on one thread and abort the epoch on another.
  */
private[stoplog] trait DriverLock {
  def acquire(): Unit
  def tryAcquire(): Boolean
  def release(): Unit
}

private[stoplog] object DriverLock {
  def semaphore(): DriverLock = new DriverLock {
    private val permit = new Semaphore(1)

    override def acquire(): Unit       = permit.acquireUninterruptibly()
    override def tryAcquire(): Boolean = permit.tryAcquire()
    override def release(): Unit       = permit.release()
  }
}

/** Retries an idempotent action if the storage, and not the protocol, has rejected the action. */
private[stoplog] trait StorageRetry extends Serializable {
  def apply[A](action: () => A): A
}

private[stoplog] object StorageRetry {

  /** Tries once. */
  val never: StorageRetry = new StorageRetry {
    override def apply[A](action: () => A): A = action()
  }

  /** Tries up to `tries` times, with a random wait below `baseMillis`, then below twice as much, and so on.
    * Many parts that fail together must not retry together.
    *
    * @param pause waits for a number of milliseconds
    */
  def jittered(tries: Int, baseMillis: Long, pause: Long => Unit): StorageRetry = new StorageRetry {
    private val backoff = Backoff(firstMillis = baseMillis, mostMillis = Long.MaxValue)

    override def apply[A](action: () => A): A = {
      @scala.annotation.tailrec
      def go(tried: Int): A =
        attempt(action) match {
          case Right(result)                   => result
          case Left(failure) if tried == tries => throw failure
          case Left(_)                         =>
            pause(backoff.pauseMillis(tried))
            go(tried + 1)
        }
      go(tried = 1)
    }
  }

  private def attempt[A](action: () => A): Either[StoplogException, A] =
    try Right(action())
    catch { case e: StoplogException if transient(e.getCondition) => Left(e) }

  private val transient = Set("STOPLOG_STORE_WRITE", "STOPLOG_UNKNOWN_OUTCOME")
}

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

  /** Runs up to `threads` actions at a time, all to their end; small inputs stay on the caller's thread. */
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

/** The environment of a driver, as arguments. */
private[stoplog] final case class DriverTools(
    clock: Clock,
    faults: Faults,
    lock: DriverLock,
    parallel: Parallel,
    retry: StorageRetry
)

private[stoplog] object DriverTools {

  /** The real environment, new for each driver and each run of a tool. */
  def of(clock: Clock, faults: Faults): DriverTools = DriverTools(
    clock,
    faults,
    DriverLock.semaphore(),
    Parallel.bounded(StorageThreads),
    StorageRetry.jittered(tries = 4, baseMillis = 100, Thread.sleep(_))
  )

  /** The environment of a driver in this JVM. */
  def ofThisJvm: DriverTools = of(Clock.system, Faults.ofThisJvm)

  /** For tasks: a killed task ends without waiting for requests that are no longer needed. */
  val inTasks: Parallel = Parallel.interruptible(StorageThreads)

  /** More threads than processors: these threads wait for the storage, and do not compute. */
  private final val StorageThreads = 8
}
