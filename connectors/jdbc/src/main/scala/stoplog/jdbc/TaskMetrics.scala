// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

import stoplog.spark.{TaskCount, TaskSum}

/** The metrics of the SQL tab, summed over an epoch's tasks. */
private[jdbc] object TaskMetrics {

  def all: Array[CustomMetric] = Array(new SentRowsMetric, new RejectedRowsMetric, new RetriesMetric)

  def values(result: Option[TaskResult]): Array[CustomTaskMetric] = Array(
    new TaskCount(SentRows, result.fold(0L)(_.rows)),
    new TaskCount(RejectedRows, result.fold(0L)(_.rejects)),
    new TaskCount(Retried, result.fold(0L)(_.retries))
  )

  val SentRows     = "stoplogJdbcSentRows"
  val RejectedRows = "stoplogJdbcRejectedRows"
  val Retried      = "stoplogJdbcRetries"
}

// Spark makes these by reflection, from the class name and without arguments.

private[jdbc] final class SentRowsMetric extends TaskSum(TaskMetrics.SentRows, "rows sent to the database")
private[jdbc] final class RejectedRowsMetric extends TaskSum(TaskMetrics.RejectedRows, "rows rejected")
private[jdbc] final class RetriesMetric      extends TaskSum(TaskMetrics.Retried, "batches tried again")
