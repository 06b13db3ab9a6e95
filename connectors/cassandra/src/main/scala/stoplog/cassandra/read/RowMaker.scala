// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import com.datastax.oss.driver.api.core.cql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.StructType

import stoplog.cassandra.client.CassandraErrors
import stoplog.cassandra.types.ColumnReader
import stoplog.source.{RecordEmitter, RowOutput}

/** Makes rows of Spark's of the driver's. Each is valid until the next. */
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

  private def read(at: Int, bytes: java.nio.ByteBuffer): Unit =
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
