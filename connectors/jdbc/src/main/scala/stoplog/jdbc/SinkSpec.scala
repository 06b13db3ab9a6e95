// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.fault.Faults

/** One write, checked: what driver and tasks need to know. Goes to the executors.
  *
  * @param schema of the rows
  * @param keys   the places of the key columns; none without upserts
  * @param texts  how a rejected row is spelled
  */
private[jdbc] final case class SinkSpec(
    options: JdbcOptions,
    schema: StructType,
    target: Target,
    keys: Vector[Int],
    connector: ConnectionSource,
    texts: RowTexts,
    pause: Pause
) {
  def session(): Session = new Session(connector, options.requests.timeoutSeconds)

  def retries(): Retries =
    new Retries(
      RetryPolicy(options.requests.maxTries, options.requests.retryWaitMillis, pause),
      target.dialect
    )

  def rejectTable: Option[RejectTable] =
    options.rows.rejectTable.map(RejectTable(_, TextTypes.of(options.sparkUrl)))

  /** As its row and its rejected rows are called. */
  def sink: String = s"${target.table}/${options.sinkId}"

  /** @param sinkId of the query, or of the one job */
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
    val texts = new RowTexts(schema, SQLConf.get.sessionLocalTimeZone)
    SinkSpec(options, schema, target, keys, connector, texts, Pause.sleep)
  }
}
