// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.cassandra.options.{CassandraOptions, RowSpread}
import stoplog.cassandra.read.ReadColumns
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{EpochClock, WritePlan, WrittenRows}
import stoplog.engine._

/** The sink of a table, as an engine's frame drives it. */
private[spark] final class CassandraEngineSink(table: TableInfo, options: CassandraOptions)
    extends EngineSink[StructType, InternalRow, WrittenRows] {

  override def name: String = s"stoplog-cassandra ${table.qualified}"

  override def columns: StructType = ReadColumns.of(table, options).schema

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = CassandraWriter.Metrics

  override def noCounts: Seq[(String, Long)] =
    CassandraRun.counts(WrittenRows.nothing, epochs = 0, micros = 0)

  /** Error: `STOPLOG_CASSANDRA_SCHEMA`. */
  override def plan(asked: WriteRequest[StructType]): EngineWrite[InternalRow, WrittenRows] = {
    val plan = WritePlan.of(table, asked.columns, options)
    new EngineWrite[InternalRow, WrittenRows] {
      override def distribution: Option[RowDistribution] = options.write.distribution match {
        case RowSpread.Unspecified    => None
        case RowSpread.ByPartitionKey => Some(RowDistribution(partitionKey(plan), tasks = None))
      }

      override def start(start: RunStart): EngineRun[InternalRow, WrittenRows] =
        new CassandraRun(table, options, plan, start.queryId)

      override def job(): EngineJob[InternalRow, WrittenRows] = new CassandraJob(options, plan)
    }
  }

  /** All rows of a partition come into one task. */
  private def partitionKey(plan: WritePlan): Seq[String] =
    plan.key.take(table.partitionKey.size).map(at => plan.schema(plan.values(at)).name).toSeq
}

/** A batch query: all its rows are written with the time at which it began. */
private[spark] final class CassandraJob(options: CassandraOptions, plan: WritePlan)
    extends EngineJob[InternalRow, WrittenRows] {
  override def begin(slots: Int): SinkWriterFactory[InternalRow, WrittenRows] =
    new CassandraWriterFactory(plan, options, Some(EpochClock.systemMicros()))

  override def commit(results: Seq[WrittenRows]): Unit = ()

  override def abort(results: Seq[WrittenRows]): Unit = ()
}
