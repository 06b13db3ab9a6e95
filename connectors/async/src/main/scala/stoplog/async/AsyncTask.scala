// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext

/** The calls of a Spark task. */
private[async] final class AsyncTask[A, B](
    function: AsyncBatchFunction[A, B],
    batchSize: Int,
    settings: AsyncSettings,
    rejecting: Throwable => Boolean
) extends Serializable {

  /** Returns each row with its outcome. A failure that must not be rejected ends the task immediately. */
  def run(rows: Iterator[A]): Iterator[(A, Outcome[B])] = {
    function.open()
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => function.close()))
    on(new EventLoop.OfTask, rows, () => Random.nextDouble())
  }

  private[async] def on(
      loop: EventLoop,
      rows: Iterator[A],
      random: () => Double
  ): Iterator[(A, Outcome[B])] = {
    val pace   = settings.betweenNanos.map(new RateLimit(_, loop))
    val caller = new Caller(function, settings.retry, settings.timeoutMillis, pace, loop, random)

    def start(rows: Seq[A], ended: Seq[Outcome[B]] => Unit): Unit =
      caller.start(rows) { outcomes =>
        outcomes.foreach(check)
        ended(outcomes)
      }

    new Window[Seq[A], Seq[Outcome[B]]](batches(rows), settings.capacity, settings.order, loop, start)
      .flatMap { case (requests, outcomes) => requests.zip(outcomes) }
  }

  // Iterator.grouped would read an additional row, which may take a long time to arrive.
  private def batches(rows: Iterator[A]): Iterator[Seq[A]] =
    Iterator.continually(rows).takeWhile(_.hasNext).map { rows =>
      val batch = Vector.newBuilder[A]
      batch += rows.next()
      var size = 1
      while (size < batchSize && rows.hasNext) {
        batch += rows.next()
        size += 1
      }
      batch.result()
    }

  private def check(outcome: Outcome[B]): Unit = outcome match {
    case Outcome.Failed(error, attempts) if !rejecting(error) => throw AsyncErrors.callFailed(attempts, error)
    case _                                                    =>
  }
}

/** The bounded window of calls between input and output. Returns each request with its result.
  *
  * At most `capacity` requests are in flight. In ordered mode, at most `capacity` further results wait for
  * earlier results. The window reads input only if another call may start.
  *
  * @param start starts a call, which reports its result on the loop
  */
private[async] final class Window[A, R](
    input: Iterator[A],
    capacity: Int,
    order: Order,
    loop: EventLoop,
    start: (A, R => Unit) => Unit
) extends Iterator[(A, R)] {

  private final class Held(val argument: A, var answer: Option[R])

  private val inOrder = mutable.Queue.empty[Held]
  private val ended   = mutable.Queue.empty[Held]
  private var flying  = 0

  override def hasNext: Boolean = {
    fill()
    while (!isReady && flying > 0) {
      loop.runNext()
      fill()
    }
    isReady
  }

  override def next(): (A, R) = {
    if (!hasNext) throw new NoSuchElementException("there is no further result")
    val first = if (order == Order.Ordered) inOrder.dequeue() else ended.dequeue()
    (first.argument, first.answer.get)
  }

  private def isReady: Boolean =
    if (order == Order.Ordered) inOrder.headOption.exists(_.answer.nonEmpty) else ended.nonEmpty

  private def fill(): Unit =
    while (flying < capacity && inOrder.size < 2 * capacity && input.hasNext) {
      val request = new Held(input.next(), None)
      flying += 1
      if (order == Order.Ordered) inOrder.enqueue(request)
      start(request.argument, answer => end(request, answer))
    }

  private def end(request: Held, answer: R): Unit = {
    request.answer = Some(answer)
    flying -= 1
    if (order == Order.Unordered) ended.enqueue(request)
  }
}

/** The order of a task's results. */
private[async] sealed trait Order extends Serializable

private[async] object Order {
  case object Ordered   extends Order
  case object Unordered extends Order
}

/** The events of a task's thread: calls that ended in other threads, and the thread's own timers.
  *
  * The thread that calls [[runNext]] runs all posted and due actions. So no action needs a lock, and timers
  * need no thread.
  */
private[async] trait EventLoop {

  def nowNanos: Long

  /** Runs the action after the delay. */
  def after(delayNanos: Long)(run: () => Unit): EventLoop.Timer

  /** Runs the action as soon as possible. Thread-safe. */
  def post(run: () => Unit): Unit

  /** Waits for the next event and runs its action. */
  def runNext(): Unit
}

private[async] object EventLoop {

  trait Timer {
    def cancel(): Unit
  }

  /** Returns the time of a timer. Without a limit, a very long delay would overflow, and expire at once. */
  def due(nowNanos: Long, delayNanos: Long): Long = nowNanos + delayNanos.max(0).min(MostNanos)

  private final val MostNanos = Long.MaxValue / 4

  /** The event loop of a task, based on the machine's clock. */
  final class OfTask extends EventLoop {

    private val posted = new LinkedBlockingQueue[() => Unit]
    private val timers = mutable.TreeMap.empty[(Long, Long), () => Unit]
    private var made   = 0L

    override def nowNanos: Long = System.nanoTime()

    override def after(delayNanos: Long)(run: () => Unit): Timer = {
      made += 1
      val key = (EventLoop.due(nowNanos, delayNanos), made)
      timers.put(key, run)
      () => timers.remove(key)
    }

    override def post(run: () => Unit): Unit = posted.put(run)

    override def runNext(): Unit = timers.headOption match {
      case None                => posted.take()()
      case Some((key, expiry)) =>
        // A call that ended in time is already in the queue, even if this thread checks late.
        val ended = posted.poll(math.max(0, key._1 - nowNanos), TimeUnit.NANOSECONDS)
        if (ended != null) ended()
        else {
          timers.remove(key)
          expiry()
        }
    }
  }
}

/** A rate limit for the calls of a task: at most `(T + catch-up) / between + 1` calls in any time T.
  *
  * The first call waits like any other call. So the bound also holds across the tasks of a partition in
  * successive micro-batches, although these tasks do not share any state.
  */
private[async] final class RateLimit(betweenNanos: Long, loop: EventLoop) {

  private val waiting = mutable.Queue.empty[() => Unit]
  private var due     = loop.nowNanos + betweenNanos

  /** Runs the action when the next call is permitted. */
  def turn(run: () => Unit): Unit = {
    waiting.enqueue(run)
    if (waiting.size == 1) arm()
  }

  private def arm(): Unit = {
    loop.after(due - loop.nowNanos) { () =>
      due = math.max(due, loop.nowNanos - RateLimit.CatchUpNanos) + betweenNanos
      val next = waiting.head
      try next()
      finally {
        waiting.dequeue()
        if (waiting.nonEmpty) arm()
      }
    }
    ()
  }
}

private[async] object RateLimit {

  /** The maximum delay that later calls compensate, so that a late wake-up does not lower the rate
    * permanently.
    */
  val CatchUpNanos: Long = 50000000L
}
