// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import stoplog.commit.TaskWriter

/** The metrics of the SQL tab, summed over an epoch's tasks. */
private[spark] object TaskMetrics {

  def all: Array[CustomMetric] = Array(new PartsOpenedMetric, new PartsClosedMetric, new BytesWrittenMetric)

  def values(counts: TaskWriter.Counts): Array[CustomTaskMetric] = Array(
    new TaskCount(PartsOpened, counts.partsOpened),
    new TaskCount(PartsClosed, counts.partsClosed),
    new TaskCount(BytesWritten, counts.bytesWritten)
  )

  final val PartsOpened  = "stoplogPartsOpened"
  final val PartsClosed  = "stoplogPartsClosed"
  final val BytesWritten = "stoplogBytesWritten"
}

// Spark makes these by reflection, from the class name and without arguments.

private[spark] final class PartsOpenedMetric extends TaskSum(TaskMetrics.PartsOpened, "parts opened")
private[spark] final class PartsClosedMetric extends TaskSum(TaskMetrics.PartsClosed, "parts closed")
private[spark] final class BytesWrittenMetric
    extends TaskSum(TaskMetrics.BytesWritten, "bytes written to parts")
