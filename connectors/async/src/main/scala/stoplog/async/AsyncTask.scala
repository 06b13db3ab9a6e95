// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext

/** The calls of one Spark task. */
private[async] final class AsyncTask[A, B](
    function: AsyncBatchFunction[A, B],
    batchSize: Int,
    settings: AsyncSettings,
    rejecting: Throwable => Boolean
) extends Serializable {

  /** Each row with its outcome, of which those that may not be rejected end the task at once. */
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
    val pace   = settings.betweenNanos.map(new Pace(_, loop))
    val caller = new Caller(function, settings.retry, settings.timeoutMillis, pace, loop, random)

    def start(rows: Seq[A], ended: Seq[Outcome[B]] => Unit): Unit =
      caller.start(rows) { outcomes =>
        outcomes.foreach(check)
        ended(outcomes)
      }

    new Window[Seq[A], Seq[Outcome[B]]](batches(rows), settings.capacity, settings.order, loop, start)
      .flatMap { case (asked, outcomes) => asked.zip(outcomes) }
  }

  // Iterator.grouped would read a row ahead, which may be long in coming.
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

/** The bounded window of calls between what was read and what was given on: each request with its answer.
  *
  * At most `capacity` requests are in flight and, where order is kept, as many again answered before their turn. Input is
  * read only when there is room for a call.
  *
  * @param start begins a call, which tells its answer on the loop
  */
private[async] final class Window[A, R](
    input: Iterator[A],
    capacity: Int,
    order: Order,
    loop: EventLoop,
    start: (A, R => Unit) => Unit
) extends Iterator[(A, R)] {

  private final class Held(val asked: A, var answer: Option[R])

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
    if (!hasNext) throw new NoSuchElementException("all answers were taken")
    val first = if (order == Order.Ordered) inOrder.dequeue() else ended.dequeue()
    (first.asked, first.answer.get)
  }

  private def isReady: Boolean =
    if (order == Order.Ordered) inOrder.headOption.exists(_.answer.nonEmpty) else ended.nonEmpty

  private def fill(): Unit =
    while (flying < capacity && inOrder.size < 2 * capacity && input.hasNext) {
      val request = new Held(input.next(), None)
      flying += 1
      if (order == Order.Ordered) inOrder.enqueue(request)
      start(request.asked, answer => end(request, answer))
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

/** The events that a task's thread waits for: calls that ended in other threads, and timers of its own.
  *
  * All that is posted or due is run by the thread that calls [[runNext]], so that nothing needs a lock, and no thread is
  * there for timers.
  */
private[async] trait EventLoop {

  def nowNanos: Long

  /** Runs this at a later time. */
  def after(delayNanos: Long)(run: () => Unit): EventLoop.Timer

  /** Runs this as soon as possible; from any thread. */
  def post(run: () => Unit): Unit

  /** Waits for the next event and runs it. */
  def runNext(): Unit
}

private[async] object EventLoop {

  trait Timer {
    def cancel(): Unit
  }

  /** The one of a task, by the machine's clock. */
  final class OfTask extends EventLoop {

    private val posted = new LinkedBlockingQueue[() => Unit]
    private val timers = mutable.TreeMap.empty[(Long, Long), () => Unit]
    private var made   = 0L

    override def nowNanos: Long = System.nanoTime()

    override def after(delayNanos: Long)(run: () => Unit): Timer = {
      made += 1
      val key = (nowNanos + math.max(0, delayNanos), made)
      timers.put(key, run)
      () => timers.remove(key)
    }

    override def post(run: () => Unit): Unit = posted.put(run)

    override def runNext(): Unit = timers.headOption match {
      case None                => posted.take()()
      case Some((key, expiry)) =>
        // A call that ended in time is in the queue, however late this thread comes to look.
        val ended = posted.poll(math.max(0, key._1 - nowNanos), TimeUnit.NANOSECONDS)
        if (ended != null) ended()
        else {
          timers.remove(key)
          expiry()
        }
    }
  }
}

/** A rate limit for the calls of one task: in any time T at most `(T + catch-up) / between + 1` of them.
  *
  * The first one waits like any other. So the bound holds across the tasks of one partition in successive micro-batches
  * too, although these know nothing of each other.
  */
private[async] final class Pace(betweenNanos: Long, loop: EventLoop) {

  private val waiting = mutable.Queue.empty[() => Unit]
  private var due     = loop.nowNanos + betweenNanos

  /** Runs this when the next call may be made. */
  def turn(run: () => Unit): Unit = {
    waiting.enqueue(run)
    if (waiting.size == 1) arm()
  }

  private def arm(): Unit = {
    loop.after(due - loop.nowNanos) { () =>
      due = math.max(due, loop.nowNanos - Pace.CatchUpNanos) + betweenNanos
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

private[async] object Pace {

  /** The delay up to which calls are made up for; else each late wake-up were lost for ever. */
  val CatchUpNanos: Long = 50000000L
}
