// SPDX-License-Identifier: Apache-2.0
package stoplog.async

/** How calls are made; what [[AsyncMap]] collects and a task needs to know. */
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
