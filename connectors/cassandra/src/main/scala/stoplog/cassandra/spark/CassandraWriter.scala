// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{RequestRetries, Sessions}
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.write.{UpsertWriter, WritePlan, WrittenRows}
import stoplog.engine.{SinkWriter, SinkWriterFactory, TaskAttempt, TaskMetric}

/** Goes to the executors, and makes each task's writer there. Attempts of one task write the same by the same keys. */
private[spark] final class CassandraWriterFactory(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends SinkWriterFactory[InternalRow, WrittenRows] {

  override def writer(task: TaskAttempt): Option[CassandraWriter] =
    Some(new CassandraWriter(plan, options, epochMicros))
}

private[spark] final class CassandraWriter(
    plan: WritePlan,
    options: CassandraOptions,
    epochMicros: Option[Long]
) extends SinkWriter[InternalRow, WrittenRows] {
  private val lease = Sessions.lease(options.connection, RequestRetries(options.retryTimeoutMillis))

  // A task without rows prepares nothing.
  private var writer = Option.empty[UpsertWriter]

  override def write(row: InternalRow): Unit = opened.write(row)

  override def commit(): WrittenRows = writer.fold(WrittenRows.nothing)(_.finish())

  /** What is under way goes on: it is part of an epoch that will be repeated. */
  override def abort(): Unit = ()

  override def close(): Unit = lease.close()

  override def rows: Long = soFar.rows

  override def counts: Seq[(TaskMetric, Long)] = {
    val counts = soFar.counts
    CassandraWriter.Metrics.zip(Seq(counts.requests, counts.retries))
  }

  private def soFar: WrittenRows = writer.fold(WrittenRows.nothing)(_.counts)

  private def opened: UpsertWriter = writer.getOrElse {
    val made = new UpsertWriter(plan, lease.session, options, epochMicros)
    writer = Some(made)
    made
  }
}

private[spark] object CassandraWriter {
  val Metrics: Seq[TaskMetric] = Seq(
    TaskMetric("stoplogCassandraRequests", "requests sent"),
    TaskMetric("stoplogCassandraRetries", "requests sent again")
  )
}
