// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults

/** The checked settings of a write, for the driver and the tasks. Sent to the executors.
  *
  * @param schema the schema of the rows
  * @param keys   the indices of the key columns; empty without upserts
  * @param texts  formats rejected rows
  */
private[jdbc] final case class SinkSpec(
    options: JdbcOptions,
    schema: StructType,
    target: Target,
    keys: Vector[Int],
    connector: ConnectionSource,
    texts: RejectedRowJson,
    pause: Long => Unit = Thread.sleep(_)
) {
  def session(): Session = new Session(connector, options.requests.timeoutSeconds)

  def retries(): Retries = new Retries(options.requests, target.dialect, pause)

  def values: RowValues = new RowValues(schema, options.sparkUrl, keepsOrigin = rejectTable.isDefined)

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

private[jdbc] object SinkSpec {

  def of(options: JdbcOptions, schema: StructType, target: Target, connector: ConnectionSource): SinkSpec = {
    val keys = options.mode match {
      case WriteMode.Upsert(names) =>
        names.map(name => schema.fieldNames.indexWhere(_.equalsIgnoreCase(name))).toVector
      case _ => Vector.empty
    }
    val texts = new RejectedRowJson(schema, SQLConf.get.sessionLocalTimeZone)
    SinkSpec(options, schema, target, keys, connector, texts)
  }
}

/** The tables of a sink of exactly-once inserts.
  *
  * @param sink the name of the sink's row in the epochs table
  */
private[jdbc] final case class SinkTables(
    sink: String,
    target: Target,
    epochs: EpochsTable,
    staging: StagingTable,
    rejects: Option[RejectTables]
) {
  def allStaging: Seq[StagingTable] = staging +: rejects.map(_.staging).toSeq
}

/** @param text formats a staged row as the text of a rejected row */
private[jdbc] final case class RejectTables(table: RejectTable, staging: StagingTable, text: StagedText)

private[jdbc] object SinkTables {

  /** @param sinkId   the sink id of the query or of the job
    * @param epochs   the name of the epochs table; in the schema of the target by default
    * @param rejected the reject table, if bad rows are rejected
    */
  def of(
      target: Target,
      sinkId: String,
      epochs: Option[String],
      rejected: Option[(RejectTable, StagedText)]
  ): SinkTables = {
    val sink = s"${target.table}/$sinkId"
    SinkTables(
      sink,
      target,
      EpochsTable(epochs.getOrElse(TableName.inSameSchema(target.table, "stoplog_epochs")), sink),
      StagingTable(name(target, sink, "staging"), target.table, target.columns, target.dialect),
      rejected.map { case (table, text) =>
        val staging =
          StagingTable(name(target, sink, "rejects"), table.table, table.columns, target.dialect)
        RejectTables(table, staging, text)
      }
    )
  }

  // Short, because some databases truncate names to 63 characters, and stable across restarts.
  private def name(target: Target, sink: String, what: String): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(sink.getBytes(UTF_8))
    TableName.inSameSchema(target.table, s"stoplog_${what}_${HexFormat.of().formatHex(digest).take(12)}")
  }
}
