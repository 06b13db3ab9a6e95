// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import scala.concurrent.Future

import org.apache.spark.sql.{Dataset, Encoder, Encoders}

/** Enriches rows by calls to another system. Many calls are in flight at the same time, without a thread for
  * each call.
  *
  * Works on batch and streaming Datasets. Each task has a window of calls, and reads input while the
  * window is not full. A micro-batch ends when all its calls have ended. If a task or a micro-batch is
  * retried, its calls are repeated, so calls should be idempotent. Calls are also repeated if a batch uses
  * the result twice without `persist()`.
  *
  * {{{
  * val located: Dataset[Located] = AsyncMap.of(clicks).unordered
  *   .withCapacity(500)
  *   .withTimeoutMillis(2000)
  *   .withRetry(Retry.upTo(5))
  *   .map(click => geo.locate(click.ip).map(Located(click.ip, _)))
  * }}}
  *
  * Immutable: each method returns a new object. The result has no event time; call `withWatermark` on the
  * result.
  */
final class AsyncMap[A] private (
    rows: Dataset[A],
    settings: AsyncSettings,
    rejecting: Throwable => Boolean
) {

  /** Returns a task's results in the order of its rows; the default. */
  def ordered: AsyncMap[A] = copy(settings.copy(order = Order.Ordered))

  /** Returns results as calls end, so that no row waits for the slow call of another row. */
  def unordered: AsyncMap[A] = copy(settings.copy(order = Order.Unordered))

  /** Sets the maximum number of calls in flight per task; 100 by default. Calls waiting for a retry or for
    * the rate limit count as well. In ordered mode, up to the same number of finished calls may wait for
    * earlier calls.
    */
  def withCapacity(calls: Int): AsyncMap[A] = {
    AsyncErrors.require(calls >= 1, "capacity", calls, "1 or more")
    copy(settings.copy(capacity = calls))
  }

  /** Sets the timeout of an attempt; unlimited by default. After the timeout, the attempt has failed with a
    * [[CallTimeout]]. The task no longer waits for the attempt and no longer counts it as in flight, although
    * its future continues: a future cannot be cancelled.
    */
  def withTimeoutMillis(millis: Long): AsyncMap[A] = {
    AsyncErrors.require(millis >= 1, "timeoutMillis", millis, "1 or more")
    copy(settings.copy(timeoutMillis = Some(millis)))
  }

  /** Sets which failed calls are retried; by default none. */
  def withRetry(retry: Retry): AsyncMap[A] = copy(settings.copy(retry = retry))

  /** Limits the rate of calls of all tasks together. Retries count as calls, and a batch counts as a single
    * call. In any T seconds, there are at most `rate * (T + 0.05) + maxTasks` calls.
    */
  def withMaxCallsPerSecond(rate: Double): AsyncMap[A] = {
    AsyncErrors.require(rate > 0, "maxCallsPerSecond", rate, "more than 0")
    copy(settings.copy(maxCallsPerSecond = Some(rate)))
  }

  /** Sets the maximum number of tasks that make calls. The rows are combined as by `coalesce`, and each task
    * has an equal share of the rate. The default is 1 with a rate limit, because a single task can use up the
    * rate. Without a rate limit, the number of tasks is unlimited.
    */
  def withMaxTasks(tasks: Int): AsyncMap[A] = {
    AsyncErrors.require(tasks >= 1, "maxTasks", tasks, "1 or more")
    copy(settings.copy(maxTasks = Some(tasks)))
  }

  /** Sets which failures [[callOrReject]] rejects; by default all. Other failures end the query. */
  def withRejecting(errors: Throwable => Boolean): AsyncMap[A] = new AsyncMap(rows, settings, errors)

  /** Calls for each row, with a single result row. The first call that fails in all attempts ends the query.
    */
  def map[B: Encoder](call: A => Future[B]): Dataset[B] = this.call(AsyncFunction.of(call))

  /** Calls for each row. The first call that fails in all attempts ends the query. */
  def call[B: Encoder](function: AsyncFunction[A, B]): Dataset[B] =
    results(AsyncBatchFunction.of(function), batchSize = 1)

  /** Calls for up to `batchSize` rows at once. The first row whose call fails in all attempts ends the query.
    */
  def callBatches[B: Encoder](batchSize: Int)(function: AsyncBatchFunction[A, B]): Dataset[B] =
    results(function, checked(batchSize))

  /** Calls for each row, and continues after failed calls.
    *
    * @return either a result in `_1` and null in `_2`, or a rejected row with its error in `_2`. For a
    *   rejected row, `_1` is null, or zero or false if the result is a number or Boolean. See
    *   [[AsyncMap.split]].
    */
  def callOrReject[B: Encoder](function: AsyncFunction[A, B]): Dataset[(B, (A, CallError))] =
    resultsOrRejected(AsyncBatchFunction.of(function), batchSize = 1)

  /** Calls for up to `batchSize` rows at once, and otherwise behaves like [[callOrReject]]. */
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
    val none = implicitly[Encoder[B]].clsTag.newArray(1).head // null, or zero: a Long column accepts no null
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

  /** Starts with the defaults: ordered, 100 calls in flight per task, no timeout, no retry, no rate limit. */
  def of[A](rows: Dataset[A]): AsyncMap[A] = new AsyncMap(rows, AsyncSettings(), _ => true)

  /** Returns the results, and the rejected rows with their errors.
    *
    * Both Datasets read the input. Call `persist()` first, or all calls are made twice; in a stream, in
    * `foreachBatch`.
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
    case _: Outcome.Failed  => Nil // the failure has already ended the task
  }

  // The null represents a missing value in the Dataset's column.
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

  /** A single event loop can use up a limited rate. */
  def tasks: Option[Int] = maxTasks.orElse(maxCallsPerSecond.map(_ => 1))

  /** The interval between two calls of a task. Each task has an equal share of the rate. */
  def betweenNanos: Option[Long] = for {
    rate  <- maxCallsPerSecond
    tasks <- tasks
  } yield (1e9 * tasks / rate).toLong
}
