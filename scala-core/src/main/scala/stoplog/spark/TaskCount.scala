// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.metric.{CustomSumMetric, CustomTaskMetric}

/** What a task has counted so far. */
private[stoplog] final class TaskCount(metric: String, count: Long) extends CustomTaskMetric {
  override def name(): String = metric
  override def value(): Long  = count
}

/** The output of a task in Spark's own words: it shows in the UI, in event logs and to listeners, and needs no
  * [[TaskSum]]. Spark knows it by just these names.
  */
private[stoplog] object OutputMetrics {
  def of(rows: Long, bytes: Long): Array[CustomTaskMetric] =
    ofRows(rows) :+ new TaskCount("bytesWritten", bytes)

  /** Where nobody counts bytes. */
  def ofRows(rows: Long): Array[CustomTaskMetric] = Array(new TaskCount("recordsWritten", rows))
}

/** A metric of the SQL tab: the sum over an epoch's tasks. Spark makes one by reflection, from the class name and without
  * arguments, so each is a class of its own.
  */
private[stoplog] abstract class TaskSum(metric: String, text: String) extends CustomSumMetric {
  override def name(): String        = metric
  override def description(): String = text
}
