// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.TaskContext

/** What one Spark task does. */
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
  private def batches(rows: Iterator[A]): Iterator[Seq[A]] = new Iterator[Seq[A]] {
    override def hasNext: Boolean = rows.hasNext
    override def next(): Seq[A]   = {
      val batch = Vector.newBuilder[A]
      batch += rows.next()
      var size = 1
      while (size < batchSize && rows.hasNext) {
        batch += rows.next()
        size += 1
      }
      batch.result()
    }
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

/** In which order a task's results come out. */
private[async] sealed trait Order extends Serializable

private[async] object Order {
  case object Ordered   extends Order
  case object Unordered extends Order
}
