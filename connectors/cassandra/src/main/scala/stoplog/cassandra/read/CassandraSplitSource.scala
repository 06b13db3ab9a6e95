// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.nio.ByteBuffer

import com.datastax.oss.driver.api.core.cql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.StructType

import stoplog.cassandra.client.{CassandraErrors, RequestRetries, ResponseLimit, Sessions}
import stoplog.cassandra.types.ColumnReader
import stoplog.source._

/** A Cassandra table as a source of splits.
  *
  * @param keys  the partitions to read, if known
  * @param tasks the number of tasks that can run in parallel
  */
private[cassandra] final class CassandraSplitSource(query: ReadQuery, keys: PartitionKeys, tasks: Int)
    extends SplitSource[CassandraSplit, Row, InternalRow] {

  override def describe: String = query.table

  override def splits: VersionedSerializer[CassandraSplit] = CassandraSplits

  override def reader(): SplitReader[CassandraSplit, Row] = {
    val lease = Sessions.lease(query.connection, RequestRetries(query.options.retryTimeoutMillis))
    new PageReader(query, lease.session, ResponseLimit.limitMillis(lease.session), () => lease.close())
  }

  override def emitter(): RecordEmitter[Row, InternalRow] = new RowMaker(query.table, query.rows)

  override def enumerator(context: EnumeratorContext[CassandraSplit]): SplitEnumerator[CassandraSplit] =
    context.restored.map(CassandraEnumerator.restored).getOrElse {
      keys match {
        case PartitionKeys.Known(all) => CassandraEnumerator.of(grouped(all))
        case PartitionKeys.All        => CassandraEnumerator.of(plan)
      }
    }

  /** Distributes partitions over tasks. A task reads at least 32 partitions, because fewer lookups do not
    * justify a task.
    */
  private def grouped(keys: Vector[Vector[ByteBuffer]]): Vector[KeySplit] =
    keys.grouped((keys.size / tasks.max(1)).max(32)).map(KeySplit(_)).toVector

  private def plan: SplitPlan = Sessions.use(query.connection) { session =>
    SplitPlan.of(
      TableSize.ring(session, query.options),
      TableSize.estimated(session, query.options),
      query.options.read.maxSplitBytes,
      tasks
    )
  }
}

/** The partitions to read. */
private[cassandra] sealed trait PartitionKeys
private[cassandra] object PartitionKeys {
  case object All extends PartitionKeys

  /** Selected partitions; used only on the driver.
    *
    * @param keys the values of each partition key's columns, in the protocol's encoding
    */
  final case class Known(keys: Vector[Vector[ByteBuffer]]) extends PartitionKeys
}

/** Converts the driver's rows to Spark rows. Each row is valid until the next row. */
private[cassandra] final class RowMaker(table: String, schema: StructType)
    extends RecordEmitter[Row, InternalRow] {
  private val row                          = new SpecificInternalRow(schema.map(_.dataType))
  private var readers: Array[ColumnReader] = _

  override def emit(record: Row, out: RowOutput[InternalRow]): Unit = {
    if (readers == null) readers = readersFor(record)
    var at = 0
    while (at < readers.length) {
      val bytes = record.getBytesUnsafe(at)
      if (bytes == null) row.setNullAt(at) else read(at, bytes)
      at += 1
    }
    out.put(row)
  }

  private def read(at: Int, bytes: ByteBuffer): Unit =
    try readers(at).read(bytes, row, at)
    catch {
      case e: ArithmeticException =>
        throw CassandraErrors.read(table, s"The column ${schema(at).name}", e.getMessage, e)
    }

  private def readersFor(record: Row): Array[ColumnReader] =
    schema.indices
      .map(at => ColumnReader.of(record.getColumnDefinitions.get(at).getType, record.protocolVersion))
      .toArray
}
