// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.nio.ByteBuffer

import scala.util.Try
import scala.util.control.NonFatal

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType}
import com.datastax.oss.driver.api.core.`type`.codec.TypeCodec
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.options.Ttl
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.types.ColumnWriter

/** Encodes the values of rows, and rejects rows that no statement can contain. Errors: `STOPLOG_BAD_ROW`.
  *
  * @param types returns the type of a column by its place in the statement
  */
private[cassandra] final class RowEncoder(plan: WritePlan, types: Int => CqlType, version: ProtocolVersion) {
  import RowEncoder._

  val columns: Array[EncodedColumn] = plan.values.zipWithIndex.map { case ((ordinal, _), at) =>
    val field  = plan.schema(ordinal)
    val writer = ColumnWriter.of(field.dataType, types(at), version) match {
      case Right(writer) => writer
      case Left(why)     => throw CassandraErrors.schema(plan.table, Seq(s"${field.name}: $why."))
    }
    EncodedColumn(ordinal, plan.key.contains(at), writer)
  }.toArray

  /** Checks a row of a task like [[RowBinder]], without a statement. */
  def check(row: InternalRow): Unit = {
    key.clear()
    all.clear()
    for ((column, at) <- columns.zipWithIndex)
      if (!row.isNullAt(column.ordinal)) {
        val bytes = encoded(column, row)
        if (column.isKey) key.add(bytes)
        all.add(at, bytes)
      } else if (column.isKey) throw nullKey(column, row)
    timestamp(row).foreach(refuseTie(row, _, key, all))
    ttl(row): Unit
  }

  def encoded(column: EncodedColumn, row: InternalRow): ByteBuffer =
    try column.writer.bytes(row, column.ordinal)
    catch { case NonFatal(e) => throw bad(row, column.ordinal, message(e), e) }

  /** Returns the timestamp of a row with its own timestamp. */
  def timestamp(row: InternalRow): Option[Long] = ownTime.map { ordinal =>
    if (row.isNullAt(ordinal)) throw bad(row, ordinal, "it is null, and the row's write timestamp", null)
    row.getLong(ordinal) // TIMESTAMP is in microseconds in Spark, too
  }

  def ttl(row: InternalRow): Option[Int] = plan.ttl.filterNot(row.isNullAt).map { ordinal =>
    val seconds = row.get(ordinal, plan.schema(ordinal).dataType).asInstanceOf[Number].longValue
    if (seconds < 0 || seconds > Ttl.MostSeconds.toLong)
      throw bad(row, ordinal, s"$seconds seconds is no TTL, which is from 0 to ${Ttl.MostSeconds}", null)
    seconds.toInt
  }

  def nullKey(column: EncodedColumn, row: InternalRow): Throwable =
    bad(row, column.ordinal, "it is null, and part of the primary key", null)

  /** Rejects a row with the key and the timestamp of an earlier row of the task, and other values. */
  def refuseTie(row: InternalRow, micros: Long, key: KeyHash, all: KeyHash): Unit =
    if (ties.isTie(key, micros, all.print)) throw bad(row, ownTime.get, Tie, null)

  /** Returns a key in CQL syntax.
    *
    * @param bytes the value by its place in the statement; a value that cannot be written is not shown
    */
  def shown(bytes: Int => Option[ByteBuffer]): String = plan.key
    .map { at =>
      val codec: TypeCodec[AnyRef] = CodecRegistry.DEFAULT.codecFor(types(at))
      val value                    = bytes(at).fold("?")(found => codec.format(codec.decode(found, version)))
      s"${plan.values(at)._2}=${shortened(value)}"
    }
    .mkString(", ")

  private val ties = new TimeTies
  private val key  = new KeyHash
  private val all  = new KeyHash

  private val ownTime = plan.timestamp match {
    case TimestampSource.Column(ordinal) => Some(ordinal)
    case _                               => None
  }

  private def bad(row: InternalRow, ordinal: Int, why: String, cause: Throwable) =
    CassandraErrors.badRow(plan.table, describe(row), plan.schema(ordinal).name, why, cause)

  private def describe(row: InternalRow): String = shown { at =>
    Option.when(!row.isNullAt(columns(at).ordinal))(columns(at)).flatMap { column =>
      Try(column.writer.bytes(row, column.ordinal)).toOption
    }
  }

  private def message(e: Throwable) = Option(e.getMessage).getOrElse(e.getClass.getSimpleName)
}

private[cassandra] object RowEncoder {

  /** A column of the rows that is written. */
  final case class EncodedColumn(ordinal: Int, isKey: Boolean, writer: ColumnWriter)

  /** Returns an encoder for the columns of a table, without a prepared statement. */
  def of(plan: WritePlan, table: TableInfo): RowEncoder =
    new RowEncoder(plan, at => table.column(plan.values(at)._2).get.cql, ProtocolVersion.DEFAULT)

  final val Tie =
    "an earlier row of the task has the same key, the same write timestamp and other values, and " +
      "Cassandra would keep the larger value of each column, not the later one"

  private final val ShownLetters = 200

  /** Truncates the text of a key, which may have 64 KiB. */
  def shortened(value: String): String =
    if (value.length <= ShownLetters) value else s"${value.take(ShownLetters)}…"
}
