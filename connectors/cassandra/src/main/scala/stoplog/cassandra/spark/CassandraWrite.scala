// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{Expressions, SortOrder}
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

import stoplog.cassandra.options.RowDistribution
import stoplog.cassandra.write.WritePlan
import stoplog.spark.QueryContext

/** Planning only: Spark may build a write and then not carry it out. */
private[spark] final class CassandraWriteBuilder(table: CassandraTable, info: LogicalWriteInfo)
    extends SupportsStreamingUpdateAsAppend {

  /** Error: `STOPLOG_CASSANDRA_SCHEMA`. */
  override def build(): Write = {
    val plan = WritePlan.of(table.info, info.schema(), table.options)
    table.options.write.distribution match {
      case RowDistribution.Unspecified    => new CassandraWrite(table, info, plan)
      case RowDistribution.ByPartitionKey => new ByPartitionKey(table, info, plan)
    }
  }
}

/** One epoch, or one batch job, as Spark plans it. */
private[spark] class CassandraWrite(table: CassandraTable, info: LogicalWriteInfo, plan: WritePlan)
    extends Write {
  override def description(): String = table.name()

  override def toStreaming(): StreamingWrite = new CassandraEpoch(table, info, plan)

  override def toBatch(): BatchWrite = new CassandraJob(table, plan)

  override def supportedCustomMetrics(): Array[CustomMetric] = WriteMetrics.all
}

/** All rows of a partition in one task. */
private[spark] final class ByPartitionKey(table: CassandraTable, info: LogicalWriteInfo, plan: WritePlan)
    extends CassandraWrite(table, info, plan)
    with RequiresDistributionAndOrdering {

  override def requiredDistribution(): Distribution = {
    val key = plan.key.take(table.info.partitionKey.size).map(at => plan.schema(plan.values(at)).name)
    Distributions.clustered(key.map(Expressions.column(_)).toArray)
  }

  override def requiredOrdering(): Array[SortOrder] = Array.empty
}

/** One micro-batch. Spark makes a new one each time; what has to last is in the [[CassandraTable]]. */
private[spark] final class CassandraEpoch(table: CassandraTable, info: LogicalWriteInfo, plan: WritePlan)
    extends StreamingWrite {

  override def createStreamingWriterFactory(physical: PhysicalWriteInfo): StreamingDataWriterFactory = {
    val context = QueryContext.current(info.queryId())
    new UpsertWriterFactory(plan, table.options, table.run.begin(info.queryId(), context))
  }

  /** Attempts of one task write the same by the same keys: nothing to coordinate. */
  override def useCommitCoordinator(): Boolean = false

  /** All rows have been in the table since their tasks ended. */
  override def commit(epochId: Long, messages: Array[WriterCommitMessage]): Unit =
    table.run.committed(messages)

  /** Undoes nothing: the epoch will be repeated, and then has the same effect. */
  override def abort(epochId: Long, messages: Array[WriterCommitMessage]): Unit = ()

  override def toString: String = table.name()
}

/** A batch query: all its rows are written with the time at which it began. */
private[spark] final class CassandraJob(table: CassandraTable, plan: WritePlan) extends BatchWrite {
  override def createBatchWriterFactory(physical: PhysicalWriteInfo): DataWriterFactory =
    new UpsertWriterFactory(plan, table.options, Some(SinkRun.nowMicros()))

  override def useCommitCoordinator(): Boolean = false

  override def commit(messages: Array[WriterCommitMessage]): Unit = ()

  override def abort(messages: Array[WriterCommitMessage]): Unit = ()
}
