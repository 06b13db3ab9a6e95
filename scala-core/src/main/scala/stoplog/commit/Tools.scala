// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.{ExecutorService, Semaphore, TimeUnit}

import scala.util.control.NonFatal

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.thread.{Backoff, Clock, Outcomes, Pooled, Uninterrupted}

/** Keeps the running epoch and the driver itself from touching the open parts at the same time (I4).
  *
  * Not owned by a thread, because Spark may begin an epoch on one thread and abort it on another.
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

/** Tries an idempotent action again when the storage, and not the protocol, refused it. */
private[stoplog] trait StorageRetry extends Serializable {
  def apply[A](action: () => A): A
}

private[stoplog] object StorageRetry {

  /** One try. */
  val never: StorageRetry = new StorageRetry {
    override def apply[A](action: () => A): A = action()
  }

  /** Up to `tries`, with a random wait below `baseMillis`, then below twice as much, and so on: many parts that
    * fail together must not come back together.
    *
    * @param pause waits for so many milliseconds
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

/** Runs the same action over many parts: over all of them, though some fail. The first failure is thrown once all actions
  * have ended, with the others as what it suppressed.
  */
private[stoplog] trait Parallel {
  def map[A, B](items: Seq[A])(action: A => B): Seq[B]

  /** The same for work of seconds, of which even two are worth a thread each: at most so many at a time. */
  def mapWork[A, B](items: Seq[A], atOnce: Int)(action: A => B): Seq[B]

  /** Runs what has been decided where an interrupt of the caller does not stop it half-way: a request to a server
    * that is broken off has an unknown outcome. The interrupt is kept.
    */
  def uninterrupted[A](action: => A): A
}

private[stoplog] object Parallel {

  /** One after the other, on the caller's thread. */
  val sequential: Parallel = new Parallel {
    override def map[A, B](items: Seq[A])(action: A => B): Seq[B] =
      Outcomes.all(items.toVector.map { item =>
        try Right(action(item))
        catch { case NonFatal(e) => Left(e) }
      })

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

/** The world outside of a driver, as arguments. */
private[stoplog] final case class DriverTools(
    clock: Clock,
    faults: Faults,
    lock: DriverLock,
    parallel: Parallel,
    retry: StorageRetry
)

private[stoplog] object DriverTools {

  /** The world as it is, new for each driver and each run of a tool. */
  def of(clock: Clock, faults: Faults): DriverTools = DriverTools(
    clock,
    faults,
    DriverLock.semaphore(),
    Parallel.bounded(StorageThreads),
    StorageRetry.jittered(tries = 4, baseMillis = 100, Thread.sleep(_))
  )

  /** Of a driver in this JVM. */
  def ofThisJvm: DriverTools = of(Clock.system, Faults.ofThisJvm)

  /** A task that is killed ends without waiting for what it no longer needs. */
  val inTasks: Parallel = Parallel.interruptible(StorageThreads)

  /** More at a time than there are processors: these threads wait for the storage, and do not compute. */
  private final val StorageThreads = 8
}
