// SPDX-License-Identifier: Apache-2.0
package stoplog.async

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
