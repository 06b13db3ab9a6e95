// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.cassandra.options.{CassandraOptions, RowSpread}
import stoplog.cassandra.read.ReadColumns
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{EpochClock, WritePlan, WrittenRows}
import stoplog.engine._
import stoplog.spark.SinkTable

/** `format("stoplog-cassandra")`: the door through which Spark comes in, to read and to write.
  *
  * The options can be preset for a session as `spark.datasource.stoplog-cassandra.<option>`.
  */
final class CassandraProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = "stoplog-cassandra"

  override def keyPrefix(): String = "stoplog-cassandra"

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = table(options).schema()

  /** The table says which columns it has, whatever those of a write are. */
  override def getTable(
      ignored: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = table(properties)

  // Spark asks one provider twice for one table: for its columns, and for itself.
  private var found = Option.empty[CassandraTable]

  private def table(properties: JMap[String, String]): CassandraTable = synchronized {
    JarVersions.check("stoplog-cassandra", getClass)
    val options = CassandraOptions.parse(properties)
    val table   = found.filter(_.options == options).getOrElse(CassandraTable(options))
    found = Some(table)
    table
  }
}

/** A table of Cassandra's, to read and to write. */
private[spark] final class CassandraTable(val info: TableInfo, val options: CassandraOptions)
    extends SinkTable[WrittenRows](new CassandraEngineSink(info, options))
    with SupportsRead {

  override def capabilities(): JSet[TableCapability] = {
    val all = super.capabilities()
    all.add(TableCapability.BATCH_READ)
    all
  }

  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    new CassandraScanBuilder(info, options)
}

private[spark] object CassandraTable {

  /** Errors: `STOPLOG_CASSANDRA_CONNECT`, `STOPLOG_CASSANDRA_TABLE`. */
  def apply(options: CassandraOptions): CassandraTable = new CassandraTable(TableInfo.of(options), options)
}

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
