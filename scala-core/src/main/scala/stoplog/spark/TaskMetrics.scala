// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomSumMetric, CustomTaskMetric}

import stoplog.commit.TaskWriter

/** The metrics of the SQL tab, summed over an epoch's tasks. */
private[spark] object TaskMetrics {

  def all: Array[CustomMetric] = Array(new PartsOpenedMetric, new PartsClosedMetric, new BytesWrittenMetric)

  def values(counts: TaskWriter.Counts): Array[CustomTaskMetric] = Array(
    new TaskCount(PartsOpened, counts.partsOpened),
    new TaskCount(PartsClosed, counts.partsClosed),
    new TaskCount(BytesWritten, counts.bytesWritten)
  )

  val PartsOpened  = "stoplogPartsOpened"
  val PartsClosed  = "stoplogPartsClosed"
  val BytesWritten = "stoplogBytesWritten"
}

// Spark makes these by reflection, from the class name and without arguments.

private[spark] final class PartsOpenedMetric extends CustomSumMetric {
  override def name(): String        = TaskMetrics.PartsOpened
  override def description(): String = "parts opened"
}

private[spark] final class PartsClosedMetric extends CustomSumMetric {
  override def name(): String        = TaskMetrics.PartsClosed
  override def description(): String = "parts closed"
}

private[spark] final class BytesWrittenMetric extends CustomSumMetric {
  override def name(): String        = TaskMetrics.BytesWritten
  override def description(): String = "bytes written to parts"
}
