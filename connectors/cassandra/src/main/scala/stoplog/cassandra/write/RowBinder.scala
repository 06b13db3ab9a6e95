// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import com.datastax.oss.driver.api.core.{CqlSession, DefaultConsistencyLevel, DriverException}
import com.datastax.oss.driver.api.core.`type`.codec.TypeCodecs
import com.datastax.oss.driver.api.core.cql.{BoundStatement, PreparedStatement, SimpleStatement}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries}
import stoplog.cassandra.options.NullValues

/** Converts rows to statements in a task.
  *
  * @param epochMicros the time of the epoch, if the rows use the epoch's timestamp
  */
private[cassandra] final class RowBinder(
    plan: WritePlan,
    session: CqlSession,
    consistency: DefaultConsistencyLevel,
    nulls: NullValues,
    epochMicros: Option[Long],
    retries: RequestRetries
) {
  private val version  = session.getContext.getProtocolVersion
  private val prepared = prepare()
  private val rows     = new RowEncoder(plan, prepared.getVariableDefinitions.get(_).getType, version, nulls)
  private val ticks    = new KeyTicks

  // All rows of a partition share the cells of static columns.
  private val shared = if (plan.statics.isEmpty) rows.hashes.key else rows.hashes.partition

  private val timestampAt = rows.columns.length
  private val ttlAt       = timestampAt + (if (plan.timestamp == TimestampSource.Server) 0 else 1)

  /** Returns the row as a statement. Error: `STOPLOG_BAD_ROW`. */
  def bind(row: InternalRow): Bound = {
    val builder = prepared.boundStatementBuilder()
    var size    = 0
    rows.encode(row) { (at, bytes) =>
      if (bytes == null) builder.setToNull(at)
      else {
        size += bytes.remaining
        builder.setBytesUnsafe(at, bytes)
      }
      ()
    }
    if (plan.timestamp == TimestampSource.Epoch)
      builder.setBytesUnsafe(timestampAt, bigint(epochMicros.get + ticks.next(shared)))
    rows.timestamp(row).foreach { micros =>
      builder.setBytesUnsafe(timestampAt, bigint(micros))
      rows.refuseTie(row, micros)
    }
    rows.ttl(row).foreach(builder.setInt(ttlAt, _))
    Bound(builder.build(), size, shared.print)
  }

  /** The latest timestamp of a row, if the rows use the epoch's timestamp. */
  def latestMicros: Option[Long] = epochMicros.map(_ + ticks.most)

  private def prepare(): PreparedStatement = {
    val insert = SimpleStatement.newInstance(plan.cql).setIdempotent(true).setConsistencyLevel(consistency)
    try retries(() => session.prepare(insert))
    catch { case e: DriverException => throw CassandraErrors.table(plan.table, RequestCauses.describe(e)) }
  }

  /** Returns the key of a statement in CQL syntax. */
  def describe(statement: BoundStatement): String =
    rows.shown(at => Option(statement.getBytesUnsafe(at)))

  private def bigint(value: Long) = TypeCodecs.BIGINT.encodePrimitive(value, version)
}

/** A row as a statement, and the size of its values.
  *
  * @param key the hash of the row's key; of its partition key, if the rows have static columns
  */
private[cassandra] final case class Bound(statement: BoundStatement, bytes: Int, key: KeyPrint)
