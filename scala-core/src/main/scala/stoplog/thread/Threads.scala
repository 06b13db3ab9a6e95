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

/** Threads for as long as one call takes: they wait for a storage, and do not compute. */
private[stoplog] object Pooled {

  /** The results in the order of the items, once all actions have ended. Error: that of [[Outcomes.all]].
    *
    * @param name  of the threads
    * @param await called when all actions have been started
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

/** What became of actions that were all tried. */
private[stoplog] object Outcomes {

  /** The results. Error: the first failure, with the next ones as what it suppressed. */
  def all[B](outcomes: Vector[Either[Throwable, B]]): Vector[B] = {
    val (failures, results) = outcomes.partitionMap(identity)
    failures.headOption.foreach { first =>
      failures.iterator.filterNot(_ eq first).take(MostTold).foreach(first.addSuppressed)
      throw first
    }
    results
  }

  /** Does each of them, whichever fail: how what is given up is closed. Error: as [[all]]. */
  def each(actions: (() => Unit)*): Unit =
    all(actions.toVector.map { action =>
      try Right(action())
      catch { case e: Throwable => Left(e) }
    }): Unit

  /** A storage that is down fails for each of thousands of parts, with the same words. */
  private final val MostTold = 10
}

/** Work that an interrupt does not stop half-way: `query.stop()` interrupts the thread that commits, and what has been
  * decided is still carried out. The interrupt is kept for the caller.
  */
private[stoplog] object Uninterrupted {

  /** Runs the action on a thread of its own, which is never interrupted, and waits for its end. */
  def call[A](action: => A): A = {
    val task = new FutureTask[A](() => action)
    Daemons.named("stoplog-uninterrupted").newThread(task).start()
    get(task).fold(throw _, identity)
  }

  /** An interrupt closes channels: so try again.
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

  /** The outcome of the future: its result, or the exception of its action. */
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

  /** Waits for at most so many milliseconds, also when the thread is interrupted meanwhile.
    *
    * @param waiting waits for the milliseconds that are left; its result is whether it got what it waits for
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
