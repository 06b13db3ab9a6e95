// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import scala.util.Try
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.{CqlSession, DefaultConsistencyLevel, DriverException}
import com.datastax.oss.driver.api.core.`type`.codec.{TypeCodec, TypeCodecs}
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.cql.{BoundStatement, PreparedStatement, SimpleStatement}
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries}
import stoplog.cassandra.options.{NullValues, Ttl}
import stoplog.cassandra.types.ColumnWriter

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
  private val columns  = plan.values.zipWithIndex.map { case (ordinal, at) =>
    val definition = prepared.getVariableDefinitions.get(at)
    val field      = plan.schema(ordinal)
    val writer     = ColumnWriter.of(field.dataType, definition.getType, version) match {
      case Right(writer) => writer
      case Left(why)     => throw CassandraErrors.schema(plan.table, Seq(s"${field.name}: $why."))
    }
    new Column(ordinal, plan.key.contains(at), writer)
  }.toArray
  private val ticks = new KeyTicks
  private val key   = new KeyHash

  // For rows with times of their own.
  private val isTimed = plan.timestamp.isInstanceOf[TimestampSource.Column]
  private val ties    = new TimeTies
  private val all     = new KeyHash

  private val timestampAt = columns.length
  private val ttlAt       = timestampAt + (if (plan.timestamp == TimestampSource.Server) 0 else 1)

  /** Returns the row as a statement. Error: `STOPLOG_BAD_ROW`. */
  def bind(row: InternalRow): Bound = {
    val builder = prepared.boundStatementBuilder()
    var size    = 0
    var at      = 0
    key.clear()
    all.clear()
    while (at < columns.length) {
      val column = columns(at)
      if (!row.isNullAt(column.ordinal)) {
        val bytes = encoded(column, row)
        size += bytes.remaining
        if (column.isKey) key.add(bytes)
        if (isTimed) all.add(at, bytes)
        builder.setBytesUnsafe(at, bytes)
      } else if (column.isKey) throw bad(row, column.ordinal, "it is null, and part of the primary key", null)
      else if (nulls == NullValues.Delete) builder.setToNull(at)
      at += 1
    }
    plan.timestamp match {
      case TimestampSource.Epoch =>
        builder.setBytesUnsafe(timestampAt, bigint(epochMicros.get + ticks.next(key)))
      case TimestampSource.Column(ordinal) =>
        val micros = timestamp(row, ordinal)
        builder.setBytesUnsafe(timestampAt, bigint(micros))
        if (ties.isTie(key, micros, all.print)) throw bad(row, ordinal, RowBinder.Tie, null)
      case TimestampSource.Server => ()
    }
    plan.ttl.filterNot(row.isNullAt).foreach(ordinal => builder.setInt(ttlAt, ttl(row, ordinal)))
    Bound(builder.build(), size, key.print)
  }

  /** The latest timestamp of a row, if the rows use the epoch's timestamp. */
  def latestMicros: Option[Long] = epochMicros.map(_ + ticks.most)

  private def prepare(): PreparedStatement = {
    val insert = SimpleStatement.newInstance(plan.cql).setIdempotent(true).setConsistencyLevel(consistency)
    try retries(() => session.prepare(insert))
    catch { case e: DriverException => throw CassandraErrors.table(plan.table, RequestCauses.describe(e)) }
  }

  /** Returns the key of a statement in CQL syntax. */
  def describe(statement: BoundStatement): String = shown(at => Option(statement.getBytesUnsafe(at)))

  private final class Column(val ordinal: Int, val isKey: Boolean, val writer: ColumnWriter)

  private def encoded(column: Column, row: InternalRow): ByteBuffer =
    try column.writer.bytes(row, column.ordinal)
    catch { case NonFatal(e) => throw bad(row, column.ordinal, message(e), e) }

  private def timestamp(row: InternalRow, ordinal: Int): Long = {
    if (row.isNullAt(ordinal)) throw bad(row, ordinal, "it is null, and the row's write timestamp", null)
    row.getLong(ordinal) // TIMESTAMP is in microseconds in Spark, too
  }

  private def ttl(row: InternalRow, ordinal: Int): Int = {
    val seconds = row.get(ordinal, plan.schema(ordinal).dataType).asInstanceOf[Number].longValue
    if (seconds < 0 || seconds > Ttl.MostSeconds.toLong)
      throw bad(row, ordinal, s"$seconds seconds is no TTL, which is from 0 to ${Ttl.MostSeconds}", null)
    seconds.toInt
  }

  private def bigint(value: Long) = TypeCodecs.BIGINT.encodePrimitive(value, version)

  private def bad(row: InternalRow, ordinal: Int, why: String, cause: Throwable) =
    CassandraErrors.badRow(plan.table, describe(row), plan.schema(ordinal).name, why, cause)

  // For a row that is not a statement: a value that cannot be written is not shown.
  private def describe(row: InternalRow): String = shown { at =>
    Option.when(!row.isNullAt(columns(at).ordinal))(columns(at)).flatMap { column =>
      Try(column.writer.bytes(row, column.ordinal)).toOption
    }
  }

  private def shown(bytes: Int => Option[ByteBuffer]): String = plan.key
    .map { at =>
      val definition               = prepared.getVariableDefinitions.get(at)
      val codec: TypeCodec[AnyRef] = CodecRegistry.DEFAULT.codecFor(definition.getType)
      val value                    = bytes(at).fold("?")(found => codec.format(codec.decode(found, version)))
      s"${definition.getName.asInternal}=${RowBinder.shortened(value)}"
    }
    .mkString(", ")

  private def message(e: Throwable) = Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
}

/** A row as a statement, and the size of its values.
  *
  * @param key the hash of the row's key
  */
private[cassandra] final case class Bound(statement: BoundStatement, bytes: Int, key: KeyPrint)

private object RowBinder {
  final val Tie =
    "an earlier row of the task has the same key, the same write timestamp and other values, and " +
      "Cassandra would keep the larger value of each column, not the later one"

  private final val ShownLetters = 200

  /** Truncates the text of a key, which may have 64 KiB. */
  def shortened(value: String): String =
    if (value.length <= ShownLetters) value else s"${value.take(ShownLetters)}…"
}
