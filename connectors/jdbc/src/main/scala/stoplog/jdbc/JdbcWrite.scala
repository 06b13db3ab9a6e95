// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.connector.distributions.{Distribution, Distributions}
import org.apache.spark.sql.connector.expressions.{Expression, Expressions, SortOrder}
import org.apache.spark.sql.connector.metric.CustomMetric
import org.apache.spark.sql.connector.write.{
  BatchWrite, LogicalWriteInfo, RequiresDistributionAndOrdering, Write
}
import org.apache.spark.sql.connector.write.streaming.StreamingWrite
import org.apache.spark.sql.types._

import stoplog.error.Errors

/** One epoch, or one batch job, as Spark plans it. */
private[jdbc] class JdbcWrite(table: JdbcTable, info: LogicalWriteInfo, existing: Existing) extends Write {

  override def description(): String = table.name()

  override def toStreaming(): StreamingWrite = table.spec.options.mode match {
    case _: WriteMode.Upsert           => new UpsertEpochs(table, info)
    case mode: WriteMode.Transactional => new TransactionalEpoch(table, info, mode, existing)
  }

  override def toBatch(): BatchWrite = table.spec.options.mode match {
    case _: WriteMode.Upsert           => new UpsertJob(table)
    case mode: WriteMode.Transactional => new TransactionalJob(table, info, mode, existing)
  }

  override def supportedCustomMetrics(): Array[CustomMetric] = TaskMetrics.all
}

private[jdbc] object JdbcWrite {

  /** A plain write where no distribution is asked for: asking for "unspecified" keeps Spark from some plans. */
  def apply(table: JdbcTable, info: LogicalWriteInfo, existing: Existing): Write =
    table.spec.options.spread match {
      case Spread.AsTheyAre       => new JdbcWrite(table, info, existing)
      case Spread.Together(tasks) => new DistributedWrite(table, info, existing, tasks)
    }
}

/** Rows brought together by their keys, or by all their columns if they have none, at most so many tasks. */
private[jdbc] final class DistributedWrite(
    table: JdbcTable,
    info: LogicalWriteInfo,
    existing: Existing,
    tasks: Option[Int]
) extends JdbcWrite(table, info, existing)
    with RequiresDistributionAndOrdering {

  override def requiredDistribution(): Distribution = Distributions.clustered(columns.map(column).toArray)

  override def requiredNumPartitions(): Int = tasks.getOrElse(0)

  override def requiredOrdering(): Array[SortOrder] = Array.empty

  private def columns: Seq[String] = {
    val spec   = table.spec
    val chosen = if (spec.keys.nonEmpty) spec.keys.map(spec.schema(_)) else spec.schema.fields.toVector
    val usable = chosen.filterNot(_.dataType.isInstanceOf[MapType])
    if (usable.isEmpty) throw Errors.distributionUnsupported("no column of the rows can be hashed")
    usable.map(_.name)
  }

  private def column(name: String): Expression = Expressions.column(s"`${name.replace("`", "``")}`")
}
