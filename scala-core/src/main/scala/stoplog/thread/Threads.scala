// SPDX-License-Identifier: Apache-2.0
package stoplog.thread

import java.nio.channels.{ClosedByInterruptException, FileChannel}
import java.nio.file.{OpenOption, Path}
import java.util.concurrent.{
  Callable, ExecutionException, ExecutorService, Executors, Future, FutureTask, ThreadFactory, TimeUnit
}

/** Threads that do not keep the JVM alive. */
private[stoplog] object Daemons {
  def named(name: String): ThreadFactory = (task: Runnable) => {
    val thread = new Thread(task, name)
    thread.setDaemon(true)
    thread
  }
}

/** Threads for the duration of a single call. These threads wait for a storage and do not compute. */
private[stoplog] object Pooled {

  /** Returns the results in the order of the items, after all actions have ended. Error: [[Outcomes.all]].
    *
    * @param name  the name of the threads
    * @param await called after all actions have been started
    */
  def map[A, B](items: Seq[A], threads: Int, name: String, await: ExecutorService => Unit)(
      action: A => B
  ): Seq[B] = {
    val pool = Executors.newFixedThreadPool(threads.min(items.size), Daemons.named(name))
    try {
      val running = items.toVector.map(item => pool.submit((() => action(item)): Callable[B]))
      await(pool)
      Outcomes.all(running.map(future => Uninterrupted.get(future)))
    } finally pool.shutdown()
  }
}

/** The outcomes of a group of actions, all of which were attempted. */
private[stoplog] object Outcomes {

  /** Returns the results. Throws the first failure, with further failures as suppressed exceptions. */
  def all[B](outcomes: Vector[Either[Throwable, B]]): Vector[B] = {
    val (failures, results) = outcomes.partitionMap(identity)
    failures.headOption.foreach { first =>
      failures.iterator.filterNot(_ eq first).take(MaxSuppressed).foreach(first.addSuppressed)
      throw first
    }
    results
  }

  /** Runs all actions even if some fail; used for closing abandoned resources. Error: see [[all]]. */
  def each(actions: (() => Unit)*): Unit =
    all(actions.toVector.map { action =>
      try Right(action())
      catch { case e: Throwable => Left(e) }
    }): Unit

  /** Limits the suppressed exceptions: if a storage is down, thousands of parts fail with the same message.
    */
  private final val MaxSuppressed = 10
}

/** Work that an interrupt does not stop half-way. `query.stop()` interrupts the committing thread, but the
  * decided actions must still be carried out. The interrupt status is restored for the caller.
  */
private[stoplog] object Uninterrupted {

  /** Runs the action in a separate thread, which is never interrupted, and waits for its end. The action has
    * the [[StopSignal]] of this thread.
    */
  def call[A](action: => A): A = {
    val signal = StopSignal.ofThisThread
    val task   = new FutureTask[A](() => StopSignal.during(signal)(action))
    Daemons.named("stoplog-uninterrupted").newThread(task).start()
    get(task).fold(throw _, identity)
  }

  /** Runs the action with a channel. If an interrupt closes the channel, retries with a new channel.
    *
    * @param action may run more than once
    */
  def channel[A](path: Path, option: OpenOption)(action: FileChannel => A): A = {
    val interrupted = Thread.interrupted()
    try once(path, option)(action)
    catch {
      case _: ClosedByInterruptException =>
        try channel(path, option)(action)
        finally Thread.currentThread().interrupt()
    } finally if (interrupted) Thread.currentThread().interrupt()
  }

  /** Returns the outcome of the future: its result, or the exception of its action. */
  def get[A](future: Future[A]): Either[Throwable, A] = {
    val interrupted = Thread.interrupted()
    try Right(future.get())
    catch {
      case wrapped: ExecutionException => Left(wrapped.getCause)
      case _: InterruptedException     =>
        try get(future)
        finally Thread.currentThread().interrupt()
    } finally if (interrupted) Thread.currentThread().interrupt()
  }

  /** Waits for at most `millis` milliseconds, even if the thread is interrupted meanwhile.
    *
    * @param waiting waits for the remaining milliseconds, and returns whether the wait succeeded
    */
  def within(millis: Long)(waiting: Long => Boolean): Boolean = {
    val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis)
    @scala.annotation.tailrec
    def go(interrupted: Boolean): (Boolean, Boolean) = {
      val outcome =
        try Some(waiting(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()).max(0)))
        catch { case _: InterruptedException => None }
      outcome match {
        case Some(got) => (got, interrupted)
        case None      => go(interrupted = true)
      }
    }
    val (got, interrupted) = go(interrupted = false)
    if (interrupted) Thread.currentThread().interrupt()
    got
  }

  private def once[A](path: Path, option: OpenOption)(action: FileChannel => A): A = {
    val channel = FileChannel.open(path, option)
    try action(channel)
    finally channel.close()
  }
}
