// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.concurrent.Future

import org.apache.spark.sql.{Dataset, Encoder, Encoders}

/** Rows enriched by calls of another system, many of them in flight, without a thread for each.
  *
  * Works on batch and streaming Datasets. Each task has a window of calls and reads its input as there is room in it. A
  * micro-batch ends when all its calls have ended. If a task or a micro-batch is tried again its calls are made again:
  * what they do should be idempotent. So it is when the result of a batch is used twice without `persist()`.
  *
  * {{{
  * val located: Dataset[Located] = AsyncMap.of(clicks).unordered
  *   .withCapacity(500)
  *   .withTimeoutMillis(2000)
  *   .withRetry(Retry.upTo(5))
  *   .map(click => geo.locate(click.ip).map(Located(click.ip, _)))
  * }}}
  *
  * Immutable: each method returns another one. Event time has to be told anew: call `withWatermark` on the result.
  */
final class AsyncMap[A] private (
    rows: Dataset[A],
    settings: AsyncSettings,
    rejecting: Throwable => Boolean
) {

  /** The results of a task come in the order of its rows; the default. */
  def ordered: AsyncMap[A] = copy(settings.copy(order = Order.Ordered))

  /** Results come as calls end, so that no row waits for the slow call of another. */
  def unordered: AsyncMap[A] = copy(settings.copy(order = Order.Unordered))

  /** The most calls in flight per task; default 100. Calls that wait for a retry or for the rate limit count.
    * In order, as many again wait to be given on.
    */
  def withCapacity(calls: Int): AsyncMap[A] = {
    AsyncErrors.require(calls >= 1, "capacity", calls, "1 or more")
    copy(settings.copy(capacity = calls))
  }

  /** The time that an attempt may take; by default for ever. After it the call has failed with a [[CallTimeout]], and what
    * it started is no longer waited for, nor counted as in flight: a future cannot be cancelled.
    */
  def withTimeoutMillis(millis: Long): AsyncMap[A] = {
    AsyncErrors.require(millis >= 1, "timeoutMillis", millis, "1 or more")
    copy(settings.copy(timeoutMillis = Some(millis)))
  }

  /** The choice of failed calls that are made again; by default none. */
  def withRetry(retry: Retry): AsyncMap[A] = copy(settings.copy(retry = retry))

  /** A limit for all tasks together, retries counted and a batch as one: in any T seconds there are at most
    * `rate * (T + 0.05) + maxTasks` calls.
    */
  def withMaxCallsPerSecond(rate: Double): AsyncMap[A] = {
    AsyncErrors.require(rate > 0, "maxCallsPerSecond", rate, "more than 0")
    copy(settings.copy(maxCallsPerSecond = Some(rate)))
  }

  /** In how many tasks calls are made at most. The rows are brought together as by `coalesce`, and each task gets an
    * equal share of the rate. By default 1 with a rate limit, which one task can well make use of, and else not limited.
    */
  def withMaxTasks(tasks: Int): AsyncMap[A] = {
    AsyncErrors.require(tasks >= 1, "maxTasks", tasks, "1 or more")
    copy(settings.copy(maxTasks = Some(tasks)))
  }

  /** The failures that [[callOrReject]] puts aside; by default all. Others end the query. */
  def withRejecting(errors: Throwable => Boolean): AsyncMap[A] = new AsyncMap(rows, settings, errors)

  /** Calls for each row, for one row of result. The first call that failed for good ends the query. */
  def map[B: Encoder](call: A => Future[B]): Dataset[B] = this.call(AsyncFunction.of(call))

  /** Calls for each row. The first call that failed for good ends the query. */
  def call[B: Encoder](function: AsyncFunction[A, B]): Dataset[B] =
    results(AsyncBatchFunction.of(function), batchSize = 1)

  /** Calls for up to so many rows at once. The first row whose call failed for good ends the query. */
  def callBatches[B: Encoder](batchSize: Int)(function: AsyncBatchFunction[A, B]): Dataset[B] =
    results(function, checked(batchSize))

  /** Calls for each row, and goes on where calls fail.
    *
    * @return
    *   a result in `_1` and null in `_2`, or a rejected row and its error in `_2` and in `_1` null, or zero or false
    *   where the result is a number or Boolean. See [[AsyncMap.split]].
    */
  def callOrReject[B: Encoder](function: AsyncFunction[A, B]): Dataset[(B, (A, CallError))] =
    resultsOrRejected(AsyncBatchFunction.of(function), batchSize = 1)

  /** Calls for up to so many rows at once, and goes on where calls fail; otherwise as [[callOrReject]]. */
  def callBatchesOrReject[B: Encoder](batchSize: Int)(
      function: AsyncBatchFunction[A, B]
  ): Dataset[(B, (A, CallError))] = resultsOrRejected(function, checked(batchSize))

  private def results[B: Encoder](function: AsyncBatchFunction[A, B], batchSize: Int): Dataset[B] = {
    val task = new AsyncTask(function, batchSize, settings, _ => false)
    gathered.mapPartitions(task.run(_).flatMap { case (_, outcome) => AsyncMap.rowsOf(outcome) })
  }

  private def resultsOrRejected[B: Encoder](
      function: AsyncBatchFunction[A, B],
      batchSize: Int
  ): Dataset[(B, (A, CallError))] = {
    val task = new AsyncTask(function, batchSize, settings, rejecting)
    val none = implicitly[Encoder[B]].clsTag.newArray(1).head // null, or zero: a Long column takes no null
    val rejected = Encoders.tuple(rows.encoder, Encoders.product[CallError])
    gathered.mapPartitions(task.run(_).flatMap { case (row, outcome) =>
      AsyncMap.parted(row, outcome, none)
    })(
      Encoders.tuple(implicitly[Encoder[B]], rejected)
    )
  }

  private def gathered: Dataset[A] = settings.tasks.fold(rows)(rows.coalesce)

  private def checked(batchSize: Int): Int = {
    AsyncErrors.require(batchSize >= 1, "batchSize", batchSize, "1 or more")
    batchSize
  }

  private def copy(settings: AsyncSettings): AsyncMap[A] = new AsyncMap(rows, settings, rejecting)
}

object AsyncMap {

  /** Starts with the defaults: ordered, 100 calls in flight per task, no timeout, no retry, no limit of the rate. */
  def of[A](rows: Dataset[A]): AsyncMap[A] = new AsyncMap(rows, AsyncSettings(), _ => true)

  /** The results, and the rejected rows with their errors.
    *
    * Both read the Dataset: persist it first, or all calls are made twice. In a stream do it in `foreachBatch`.
    */
  def split[A: Encoder, B: Encoder](
      results: Dataset[(B, (A, CallError))]
  ): (Dataset[B], Dataset[(A, CallError)]) = {
    val rejected = Encoders.tuple(implicitly[Encoder[A]], Encoders.product[CallError])
    (
      results.where(results("_2").isNull).map((_: (B, (A, CallError)))._1),
      results.where(results("_2").isNotNull).map((_: (B, (A, CallError)))._2)(rejected)
    )
  }

  private def rowsOf[B](outcome: Outcome[B]): Seq[B] = outcome match {
    case Outcome.Done(rows) => rows
    case _: Outcome.Failed  => Nil // it has ended the task before
  }

  // The null is that of the Dataset's column.
  private def parted[A, B](row: A, outcome: Outcome[B], none: B): Seq[(B, (A, CallError))] = outcome match {
    case Outcome.Done(rows)     => rows.map((_, null))
    case failed: Outcome.Failed => Seq((none, (row, CallErrors.of(failed))))
  }
}

/** The settings of calls, which [[AsyncMap]] collects for a task. */
private[async] final case class AsyncSettings(
    order: Order = Order.Ordered,
    capacity: Int = 100,
    timeoutMillis: Option[Long] = None,
    retry: Retry = Retry.Never,
    maxCallsPerSecond: Option[Double] = None,
    maxTasks: Option[Int] = None
) {

  /** One event loop can well make use of a rate that has to be limited. */
  def tasks: Option[Int] = maxTasks.orElse(maxCallsPerSecond.map(_ => 1))

  /** Between two calls of one task, each of which has an equal share of the rate. */
  def betweenNanos: Option[Long] = for {
    rate  <- maxCallsPerSecond
    tasks <- tasks
  } yield (1e9 * tasks / rate).toLong
}
