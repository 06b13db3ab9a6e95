// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.write.{DataWriter, DataWriterFactory, WriterCommitMessage}
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory

import stoplog.cassandra.{Retries, Sessions}
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.write.{UpsertWriter, WritePlan, Written}
import stoplog.spark.{OutputMetrics, TaskCount, TaskSum}

/** Goes to the executors, and makes each task's writer there. */
private[spark] final class UpsertWriterFactory(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends StreamingDataWriterFactory
    with DataWriterFactory {

  override def createWriter(partitionId: Int, taskId: Long, epochId: Long): DataWriter[InternalRow] =
    new UpsertDataWriter(plan, options, epochMicros)

  override def createWriter(partitionId: Int, taskId: Long): DataWriter[InternalRow] =
    new UpsertDataWriter(plan, options, epochMicros)
}

/** What a task tells the driver. */
private[spark] final case class WrittenMessage(written: Written) extends WriterCommitMessage

private[spark] final class UpsertDataWriter(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends DataWriter[InternalRow] {
  private val lease = Sessions.lease(options.connection, Retries(options.retryTimeoutMillis))

  // A task without rows prepares nothing.
  private var writer = Option.empty[UpsertWriter]

  override def write(row: InternalRow): Unit = opened.write(row)

  override def commit(): WriterCommitMessage = WrittenMessage(writer.fold(Written.nothing)(_.finish()))

  /** What is under way goes on: it is part of an epoch that will be repeated. */
  override def abort(): Unit = ()

  override def close(): Unit = lease.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] =
    WriteMetrics.values(writer.map(_.counts)) ++ OutputMetrics.ofRows(writer.fold(0L)(_.counts.rows))

  private def opened: UpsertWriter = writer.getOrElse {
    val made = new UpsertWriter(plan, lease.session, options, epochMicros)
    writer = Some(made)
    made
  }
}

/** The metrics of the SQL tab, summed over an epoch's tasks. */
private[spark] object WriteMetrics {
  val Requests = "stoplogCassandraRequests"
  val Retries  = "stoplogCassandraRetries"

  def all: Array[CustomMetric] = Array(new RequestsMetric, new RetriesMetric)

  def values(written: Option[Written]): Array[CustomTaskMetric] = Array(
    new TaskCount(Requests, written.fold(0L)(_.counts.requests)),
    new TaskCount(Retries, written.fold(0L)(_.counts.retries))
  )
}

// Spark makes these by reflection, from the class name and without arguments.

private[spark] final class RequestsMetric extends TaskSum(WriteMetrics.Requests, "requests sent")
private[spark] final class RetriesMetric  extends TaskSum(WriteMetrics.Retries, "requests sent again")
