// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** What a task has counted so far. */
private[stoplog] final class TaskCount(metric: String, count: Long) extends CustomTaskMetric {
  override def name(): String = metric
  override def value(): Long  = count
}
