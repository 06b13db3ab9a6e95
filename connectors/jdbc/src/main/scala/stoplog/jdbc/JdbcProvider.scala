// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SessionConfigSupport, Table, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine._
import stoplog.error.Errors
import stoplog.options.SparkOptions
import stoplog.spark.SinkTable

/** `format("stoplog-jdbc")`: the door through which Spark comes in.
  *
  * Takes the options of [[JdbcOptionRegistry]], which can be preset for a session as
  * `spark.datasource.stoplog-jdbc.<option>`. Only for writing: Spark's own `jdbc` reads.
  */
final class JdbcProvider extends TableProvider with DataSourceRegister with SessionConfigSupport {

  override def shortName(): String = JdbcSink.Format

  override def keyPrefix(): String = JdbcSink.Format

  /** The rows' schema comes with the write. */
  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw new UnsupportedOperationException(s"${JdbcSink.Format} is for writing; read with format(\"jdbc\")")

  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = {
    JarVersions.check("stoplog-jdbc", getClass)
    val options = JdbcOptions.parse(properties)
    SparkOptions.refuseAsyncProgress(properties)
    new SinkTable(JdbcEngineSink(schema, options))
  }
}

/** The sink of a table, as an engine's frame drives it. */
private[jdbc] final class JdbcEngineSink(spec: SinkSpec)
    extends EngineSink[StructType, InternalRow, TaskOutcome] {

  override def name: String = s"${JdbcSink.Format} ${spec.target.database} ${spec.sink}"

  override def columns: StructType = spec.schema

  override def replacing: Replacing = Replacing.Always

  override def taskMetrics: Seq[TaskMetric] = JdbcWriter.Metrics

  override def noCounts: Seq[(String, Long)] = SinkCounts.empty.values

  override def plan(asked: WriteRequest[StructType]): EngineWrite[InternalRow, TaskOutcome] =
    spec.options.mode match {
      case _: WriteMode.Upsert if asked.existing == Existing.Replace =>
        throw JdbcErrors.outputMode("overwrite, or complete,")
      case _: WriteMode.Upsert           => new Upserting
      case mode: WriteMode.Transactional => new Inserting(asked, mode)
    }

  private abstract class Planned extends EngineWrite[InternalRow, TaskOutcome] {
    override def distribution: Option[RowDistribution] = spec.options.rows.spread match {
      case Spread.AsTheyAre       => None
      case Spread.Together(tasks) => Some(RowDistribution(together, tasks))
    }
  }

  private final class Upserting extends Planned {
    override def start(start: RunStart): EngineRun[InternalRow, TaskOutcome] = new UpsertRun(spec)

    override def job(): EngineJob[InternalRow, TaskOutcome] = new UpsertJob(spec)
  }

  private final class Inserting(asked: WriteRequest[StructType], mode: WriteMode.Transactional)
      extends Planned {
    override def start(start: RunStart): EngineRun[InternalRow, TaskOutcome] =
      new TransactionalRun(spec, mode, SinkOwner(start.runId, Some(start.queryId)), asked.existing)

    override def job(): EngineJob[InternalRow, TaskOutcome] =
      new TransactionalJob(spec, mode, asked.queryId, asked.existing)
  }

  /** The keys, or all columns if the rows have no keys. */
  private def together: Seq[String] = {
    val chosen = if (spec.keys.nonEmpty) spec.keys.map(spec.schema(_)) else spec.schema.fields.toVector
    val usable = chosen.filterNot(_.dataType.isInstanceOf[MapType])
    if (usable.isEmpty) throw Errors.distributionUnsupported("no column of the rows can be hashed")
    usable.map(_.name)
  }
}

private[jdbc] object JdbcEngineSink {

  /** Checks all that can be checked now, and writes nothing: the start may still be refused. */
  def apply(columns: StructType, options: JdbcOptions): JdbcEngineSink = {
    val connector = new SparkConnector(options.toSpark)
    val target    = TableCheck.target(options, columns, connector)
    new JdbcEngineSink(SinkSpec.of(options, columns, target, connector))
  }
}
