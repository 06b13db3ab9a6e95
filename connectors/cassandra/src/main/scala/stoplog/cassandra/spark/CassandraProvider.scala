// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.spark

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.cassandra.options.{CassandraOptions, RowSpread}
import stoplog.cassandra.read._
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.write.{EpochClock, WritePlan, WrittenRows}
import stoplog.engine._
import stoplog.error.Described
import stoplog.source.{SourceDriver, StateFiles}
import stoplog.spark.{ConnectorProvider, SinkTable}
import stoplog.spark.SourceScan.{SplitBytes, SplitReaders}

/** The provider of `format("stoplog-cassandra")` for reads and writes.
  *
  * A session can preset the options as `spark.datasource.stoplog-cassandra.<option>`.
  */
final class CassandraProvider extends ConnectorProvider("stoplog-cassandra") {

  override def supportsExternalMetadata(): Boolean = false

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = table(options).schema()

  /** Returns the table with its own columns; the columns of a write are ignored. */
  override protected def table(ignored: StructType, properties: JMap[String, String]): Table = table(
    properties
  )

  // Spark requests a table twice from one provider: for its columns, and for the table itself.
  private var found = Option.empty[CassandraTable]

  /** Errors: `STOPLOG_UNREACHABLE`, `STOPLOG_CASSANDRA_TABLE`. */
  private def table(properties: JMap[String, String]): CassandraTable = synchronized {
    JarVersions.check("stoplog-cassandra", getClass)
    val options = CassandraOptions.parse(properties)
    val table   =
      found.filter(_.options == options).getOrElse(new CassandraTable(TableInfo.of(options), options))
    found = Some(table)
    table
  }
}

/** A Cassandra table for reads and writes. */
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

/** The sink of a table, driven by an engine's frame. */
private[spark] final class CassandraEngineSink(table: TableInfo, options: CassandraOptions)
    extends EngineSink[StructType, InternalRow, WrittenRows] {

  override def name: String = EngineSink.nameOf(table.qualified)

  override def columns: StructType = ReadColumns.of(table, options).schema

  override def replacing: Replacing = Replacing.Never

  override def taskMetrics: Seq[TaskMetric] = CassandraWriter.Metrics

  override def noCounts: Seq[(String, Long)] =
    CassandraRun.counts(WrittenRows(), epochs = 0, micros = 0)

  /** Error: `STOPLOG_ROW_COLUMNS`. */
  override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, WrittenRows] = {
    val plan = WritePlan.of(table, request.columns, options)
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

  /** The columns of the partition key, so that one task receives all rows of a partition. */
  private def partitionKey(plan: WritePlan): Seq[String] =
    plan.key.take(table.partitionKey.size).map(at => plan.schema(plan.values(at)._1).name).toSeq
}

/** A batch query: all its rows have the query's start time as their timestamp. */
private[spark] final class CassandraJob(options: CassandraOptions, plan: WritePlan)
    extends EngineJob[InternalRow, WrittenRows] {
  override def begin(slots: Int): SinkWriterFactory[InternalRow, WrittenRows] =
    new CassandraWriterFactory(plan, options, Some(EpochClock.systemMicros()))

  override def commit(results: Seq[WrittenRows]): Unit = ()

  override def abort(results: Seq[WrittenRows]): Unit = ()
}

/** The columns and conditions of a query that Spark pushes down. */
private[spark] final class CassandraScanBuilder(table: TableInfo, options: CassandraOptions)
    extends SupportsPushDownRequiredColumns
    with SupportsPushDownV2Filters {
  private val all      = ReadColumns.of(table, options)
  private var columns  = all
  private var pushdown = KeyPushdown.nothing

  override def pruneColumns(required: StructType): Unit = columns = all.pruned(required)

  /** Spark also evaluates all conditions. */
  override def pushPredicates(predicates: Array[Predicate]): Array[Predicate] = {
    pushdown = KeyPushdown.of(table, all, predicates.toSeq)
    predicates
  }

  override def pushedPredicates(): Array[Predicate] = pushdown.pushed.toArray

  override def build(): Scan =
    new CassandraScan(ReadQuery.of(table, columns, pushdown.within, options), pushdown)
}

/** A batch query. */
private[spark] final class CassandraScan(query: ReadQuery, pushdown: KeyPushdown) extends Scan with Batch {
  private lazy val partitions = {
    val source = new CassandraSplitSource(query, pushdown.keys, tasks)
    SplitGroups
      .of(SourceDriver.all(source, StateFiles.None), query.options.read.maxSplitBytes)
      .map(group => SplitBytes.of(group, source.splits, SplitGroups.hosts(group.head)))
  }

  override def readSchema(): StructType = query.rows

  override def description(): String = Described.as("stoplog-cassandra") {
    s"stoplog-cassandra ${query.table} PushedKeys: [${pushdown.pushed.mkString(", ")}]"
  }

  override def toBatch: Batch = this

  override def planInputPartitions(): Array[InputPartition] = partitions.toArray

  override def createReaderFactory(): PartitionReaderFactory =
    new SplitReaders(new CassandraSplitSource(query, PartitionKeys.All, tasks))

  private def tasks: Int = SparkSession.active.sparkContext.defaultParallelism
}
