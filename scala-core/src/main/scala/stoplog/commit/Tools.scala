// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.util.concurrent.Semaphore

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.thread.{Backoff, Clock, Parallel}

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

/** The environment of a driver, as arguments.
  *
  * @param announcing receives each record that was carried out
  */
private[stoplog] final case class DriverTools(
    clock: Clock,
    faults: Faults,
    lock: DriverLock,
    parallel: Parallel,
    retry: StorageRetry,
    announcing: Announcing = Announcing.Nothing
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
