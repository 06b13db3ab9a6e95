// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.write

import java.time.ZoneId

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults
import stoplog.jdbc.client.{ConnectionSource, Connections, Retries, Session}
import stoplog.jdbc.options.{JdbcOptions, WriteMode}
import stoplog.jdbc.rejects.{RejectTable, RejectedRowJson, Rejects}
import stoplog.jdbc.rows.{JdbcRow, RowKey, RowValues}
import stoplog.jdbc.staging.{EpochDriver, SinkOwner, SinkTables}
import stoplog.jdbc.table.{Target, ZonedConnections}
import stoplog.jdbc.types.ValueRule
import stoplog.util.ColumnNames

/** The checked settings of a write, for the driver and the tasks. Sent to the executors.
  *
  * @param schema the schema of the rows
  * @param key    the key of upserts; `None` without upserts
  * @param texts  formats rejected rows
  * @param zone   the zone of local times that stand for points in time
  */
private[jdbc] final case class JdbcWriteSpec(
    options: JdbcOptions,
    schema: StructType,
    target: Target,
    key: Option[RowKey],
    connections: Connections,
    texts: RejectedRowJson,
    zone: ZoneId
) {
  def session(): Session = connections.session()

  def retries(): Retries = connections.retries(target.dialect)

  /** Created in each task, because the readers are not serializable. */
  def values: RowValues = {
    val types = target.columns.map(_.declared)
    new RowValues(() => readers, types, keepsOrigin = rejectTable.isDefined)
  }

  /** The start check has rejected all pairs without a rule. */
  private def readers: Vector[ValueRule.Reader] =
    schema.fields.toVector.zip(target.columns).map { case (field, column) =>
      ValueRule.of(field.dataType, column.declared, target.dialect.forms(zone)) match {
        case Right(reader) => reader
        case Left(why)     => throw new IllegalStateException(s"${column.name}: $why")
      }
    }

  def rejectTable: Option[RejectTable] =
    options.rows.rejectTable.map(RejectTable.of(_, options.sparkUrl))

  /** @param identify returns the id of a rejected row from the row's number in the task and the row's text
    * @param send     called with rows of the reject table; `None` if a bad row fails the task
    */
  def rejects(batch: Option[Long], identify: (Long, String) => String)(
      send: Option[IndexedSeq[JdbcRow] => Unit]
  ): Rejects = send.fold[Rejects](new Rejects.Fail(target, texts.text)) { send =>
    new Rejects.Keep(sink, batch, options.rows.batchRows, texts.text, identify, send)
  }

  /** The name of the sink's row and of its rejected rows. */
  def sink: String = s"${target.table}/${options.sinkId}"

  /** @param sinkId the sink id of the query or of the job */
  def tables(sinkId: String, mode: WriteMode.Transactional): SinkTables =
    SinkTables.of(target, sinkId, mode.epochsTable, rejectTable.map(_ -> texts))

  def epochDriver(tables: SinkTables, owner: SinkOwner, mode: WriteMode.Transactional): EpochDriver =
    new EpochDriver(tables, owner, mode.onForeign, () => session(), () => retries(), Faults.ofThisJvm)
}

private[jdbc] object JdbcWriteSpec {

  def of(
      options: JdbcOptions,
      schema: StructType,
      target: Target,
      connector: ConnectionSource
  ): JdbcWriteSpec = {
    def index(name: String) = ColumnNames.index(schema.fieldNames, name)
    val key                 = options.mode match {
      case WriteMode.Upsert(names, version) =>
        Some(RowKey.of(target.columns, names.flatMap(index(_)).toVector, version.flatMap(index)))
      case _: WriteMode.Transactional => None
    }
    val zone        = ZoneId.systemDefault
    val connections = Connections(ZonedConnections.of(connector, target, zone), options.requests)
    val texts       =
      new RejectedRowJson(schema, target.columns.map(_.declared), SQLConf.get.sessionLocalTimeZone)
    JdbcWriteSpec(options, schema, target, key, connections, texts, zone)
  }
}
