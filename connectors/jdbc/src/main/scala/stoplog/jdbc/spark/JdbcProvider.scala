// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine._
import stoplog.error.Errors
import stoplog.jdbc.JdbcSink
import stoplog.jdbc.client.{JdbcErrors, SparkConnector}
import stoplog.jdbc.options.{JdbcOptions, Spread, WriteMode}
import stoplog.jdbc.staging.{SinkOwner, TaskOutcome}
import stoplog.jdbc.table.TableCheck
import stoplog.jdbc.write.JdbcWriteSpec
import stoplog.options.SparkOptions
import stoplog.spark.{ConnectorProvider, SinkTable}

/** The provider of `format("stoplog-jdbc")`.
  *
  * Accepts the options of [[JdbcOptionRegistry]], which a session can preset as
  * `spark.datasource.stoplog-jdbc.<option>`. Supports only writes; Spark's own `jdbc` supports reads.
  */
final class JdbcProvider extends ConnectorProvider(JdbcSink.Format) {

  override def inferSchema(options: CaseInsensitiveStringMap): StructType =
    throw new UnsupportedOperationException(s"${JdbcSink.Format} is for writing; read with format(\"jdbc\")")

  override protected def table(schema: StructType, properties: JMap[String, String]): Table = {
    val options = JdbcOptions.parse(properties)
    SparkOptions.refuseAsyncProgress(properties)
    new SinkTable(JdbcEngineSink(schema, options))
  }
}

/** The sink of a table, driven by an engine's frame. */
private[jdbc] final class JdbcEngineSink(spec: JdbcWriteSpec)
    extends EngineSink[StructType, InternalRow, TaskOutcome] {

  override def name: String = EngineSink.nameOf(s"${spec.target.database} ${spec.sink}")

  override def columns: StructType = spec.schema

  override def replacing: Replacing = Replacing.Always

  override def taskMetrics: Seq[TaskMetric] = JdbcWriter.Metrics

  override def noCounts: Seq[(String, Long)] = SinkCounts.empty.values

  override def plan(request: WriteRequest[StructType]): EngineWrite[InternalRow, TaskOutcome] = {
    if (request.existing != Existing.Keep && spec.options.mode.isInstanceOf[WriteMode.Upsert])
      throw JdbcErrors.outputMode("overwrite, or complete,")
    new EngineWrite[InternalRow, TaskOutcome] {
      override def distribution: Option[RowDistribution] = spec.options.rows.spread match {
        case Spread.Unchanged    => None
        case Spread.ByKey(tasks) => Some(RowDistribution(together, tasks))
      }

      override def start(start: RunStart): EngineRun[InternalRow, TaskOutcome] = spec.options.mode match {
        case _: WriteMode.Upsert           => new UpsertRun(spec)
        case mode: WriteMode.Transactional =>
          new TransactionalRun(spec, mode, SinkOwner(start.runId, Some(start.queryId)), request.existing)
      }

      override def job(): EngineJob[InternalRow, TaskOutcome] = spec.options.mode match {
        case _: WriteMode.Upsert           => new UpsertJob(spec)
        case mode: WriteMode.Transactional =>
          new TransactionalJob(spec, mode, request.queryId, request.existing)
      }
    }
  }

  /** The key columns, or all columns if the rows have no keys. */
  private def together: Seq[String] = {
    val chosen = spec.key.fold(spec.schema.fields.toVector)(_.columns.map(spec.schema(_)))
    val usable = chosen.filterNot(_.dataType.isInstanceOf[MapType])
    if (usable.isEmpty) throw Errors.distributionUnsupported("no column of the rows can be hashed")
    usable.map(_.name)
  }
}

private[jdbc] object JdbcEngineSink {

  /** Runs all checks that are possible before the start, and writes nothing, because the start may still be
    * rejected.
    */
  def apply(columns: StructType, options: JdbcOptions): JdbcEngineSink = {
    val connector = new SparkConnector(options.toSpark)
    val target    = TableCheck.target(options, columns, connector)
    new JdbcEngineSink(JdbcWriteSpec.of(options, columns, target, connector))
  }
}
