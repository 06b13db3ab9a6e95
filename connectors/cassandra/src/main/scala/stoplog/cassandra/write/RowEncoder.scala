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
import stoplog.cassandra.options.{NullValues, Ttl}
import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.types.{ColumnWriter, ExactTimes}

/** Encodes the values of rows, and rejects rows that no statement can contain. Errors: `STOPLOG_BAD_ROW`.
  *
  * @param types returns the type of a column by its place in the statement
  */
private[cassandra] final class RowEncoder(
    plan: WritePlan,
    types: Int => CqlType,
    version: ProtocolVersion,
    nulls: NullValues
) {
  import RowEncoder._

  /** The hashes of the encoded row. */
  val hashes = new RowHashes(isTimed = plan.timestamp.isInstanceOf[TimestampSource.Column])

  val columns: Array[EncodedColumn] = plan.values.zipWithIndex.map { case ((ordinal, _), at) =>
    val field  = plan.schema(ordinal)
    val writer = ColumnWriter.of(field.dataType, types(at), version) match {
      case Right(writer) => writer
      case Left(why)     => throw CassandraErrors.schema(plan.table, Seq(s"${field.name}: $why."))
    }
    // Only static columns need the hash of the partition.
    val isPartition = plan.statics.nonEmpty && plan.partition(at)
    val isKey       = plan.key.contains(at)
    val exactTimes  = ExactTimes.of(field.dataType, types(at), isKey)
    EncodedColumn(ordinal, writer, isKey, isPartition, plan.statics(at), exactTimes)
  }.toArray

  /** Checks a row of a task like [[RowBinder]], without a statement. */
  def check(row: InternalRow): Unit = {
    encode(row)((_, _) => ())
    timestamp(row).foreach(refuseTie(row, _))
    ttl(row): Unit
  }

  /** Encodes the values of a row, and hashes the row.
    *
    * @param value called with the place and the bytes of each value; `null` for a value to delete
    */
  def encode(row: InternalRow)(value: (Int, ByteBuffer) => Unit): Unit = {
    hashes.clear()
    var at = 0
    while (at < columns.length) {
      val column = columns(at)
      if (!row.isNullAt(column.ordinal)) {
        val bytes = encoded(column, row)
        hashes.add(column, at, bytes)
        value(at, bytes)
      } else if (column.isKey) throw nullKey(column, row)
      else if (nulls == NullValues.Delete) {
        hashes.delete(column)
        value(at, null)
      }
      at += 1
    }
  }

  def encoded(column: EncodedColumn, row: InternalRow): ByteBuffer =
    try {
      column.exactTimes.foreach(_.check(row, column.ordinal))
      column.writer.bytes(row, column.ordinal)
    } catch { case NonFatal(e) => throw bad(row, column.ordinal, message(e), e) }

  /** Returns the timestamp of a row with its own timestamp. */
  def timestamp(row: InternalRow): Option[Long] = ownTime.map { ordinal =>
    if (row.isNullAt(ordinal)) throw bad(row, ordinal, "a write timestamp must not be null", null)
    row.getLong(ordinal) // TIMESTAMP is in microseconds in Spark, too
  }

  def ttl(row: InternalRow): Option[Int] = plan.ttl.filterNot(row.isNullAt).map { ordinal =>
    val seconds = row.get(ordinal, plan.schema(ordinal).dataType).asInstanceOf[Number].longValue
    if (seconds < 0 || seconds > Ttl.MostSeconds.toLong)
      throw bad(row, ordinal, s"a TTL is from 0 to ${Ttl.MostSeconds} seconds, and not $seconds", null)
    seconds.toInt
  }

  def nullKey(column: EncodedColumn, row: InternalRow): Throwable =
    bad(row, column.ordinal, "a column of the primary key must not be null", null)

  /** Rejects the encoded row if an earlier row of the task has its key and timestamp, and other values; or
    * has its partition and timestamp, and other values of static columns.
    */
  def refuseTie(row: InternalRow, micros: Long): Unit =
    if (
      ties.isTie(hashes.key, micros, hashes.all.print) || (hashes.hasStatics &&
        staticTies.isTie(hashes.partition, micros, hashes.statics.print))
    ) throw bad(row, ownTime.get, Tie, null)

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

  private val ties       = new TimeTies
  private val staticTies = new TimeTies

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

  /** A column of the rows that is written.
    *
    * @param exactTimes checks the timestamps in keys and sets
    */
  final case class EncodedColumn(
      ordinal: Int,
      writer: ColumnWriter,
      isKey: Boolean,
      isPartitionKey: Boolean,
      isStatic: Boolean,
      exactTimes: Option[ExactTimes]
  )

  /** Returns an encoder for the columns of a table, without a prepared statement. */
  def of(plan: WritePlan, table: TableInfo, nulls: NullValues): RowEncoder =
    new RowEncoder(plan, at => table.column(plan.values(at)._2).get.cql, ProtocolVersion.DEFAULT, nulls)

  final val Tie =
    "an earlier row of the task has the same key, the same write timestamp and other values, or other " +
      "values of the static columns of its partition, and " +
      "Cassandra would keep the larger value of each column, not the later one"

  private final val ShownLetters = 200

  /** Truncates the text of a key, which may have 64 KiB. */
  def shortened(value: String): String =
    if (value.length <= ShownLetters) value else s"${value.take(ShownLetters)}…"
}

/** The hashes of a row.
  *
  * @param isTimed true if rows have times of their own, which need the hashes of all values
  */
private[cassandra] final class RowHashes(isTimed: Boolean) {
  val key       = new KeyHash
  val partition = new KeyHash
  val statics   = new KeyHash
  val all       = new KeyHash

  /** True if the row writes or deletes a value of a static column. */
  var hasStatics = false

  def clear(): Unit = {
    key.clear()
    partition.clear()
    statics.clear()
    all.clear()
    hasStatics = false
  }

  def add(column: RowEncoder.EncodedColumn, at: Int, bytes: ByteBuffer): Unit = {
    if (column.isKey) key.add(bytes)
    if (column.isPartitionKey) partition.add(bytes)
    if (column.isStatic) {
      hasStatics = true
      statics.add(at, bytes)
    }
    if (isTimed) all.add(at, bytes)
  }

  def delete(column: RowEncoder.EncodedColumn): Unit = if (column.isStatic) hasStatics = true
}
