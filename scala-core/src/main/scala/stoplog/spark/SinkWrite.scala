// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.SortOrder
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.{
  BatchWrite, LogicalWriteInfo, RequiresDistributionAndOrdering, Write
}
import org.apache.spark.sql.connector.write.streaming.StreamingWrite

import stoplog.error.Errors

/** One epoch, or one batch job, as Spark plans it. */
private[spark] class SinkWrite(table: SinkTable, info: LogicalWriteInfo, existing: Existing) extends Write {

  override def description(): String = table.name()

  override def toStreaming(): StreamingWrite = existing match {
    case Existing.Keep    => new EpochWrite(table, info)
    case Existing.Replace => throw Errors.unsupportedOutputMode("complete")
  }

  override def toBatch(): BatchWrite = new JobWrite(table, info, existing)

  override def supportedCustomMetrics(): Array[CustomMetric] = TaskMetrics.all
}

private[spark] object SinkWrite {

  /** A plain write where no distribution is asked for: asking for "unspecified" keeps Spark from some plans. */
  def apply(table: SinkTable, info: LogicalWriteInfo, existing: Existing): Write =
    WriterDistribution.of(table.options, info.schema()) match {
      case None        => new SinkWrite(table, info, existing)
      case Some(asked) => new DistributedSinkWrite(table, info, existing, asked)
    }
}

/** Rows brought together by their bucket's columns, or spread over a number of writers. */
private[spark] final class DistributedSinkWrite(
    table: SinkTable,
    info: LogicalWriteInfo,
    existing: Existing,
    asked: WriterDistribution
) extends SinkWrite(table, info, existing)
    with RequiresDistributionAndOrdering {

  override def requiredDistribution(): Distribution = Distributions.clustered(asked.clustering.toArray)

  override def requiredNumPartitions(): Int = asked.writers.getOrElse(0)

  override def requiredOrdering(): Array[SortOrder] = asked.ordering.toArray
}
