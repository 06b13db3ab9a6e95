// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.nio.ByteBuffer

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType, DataTypes => Cql}
import com.datastax.oss.driver.api.core.`type`.codec.{TypeCodec, TypeCodecs}
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** Reads one column of the protocol's bytes into a row of Spark's. */
private[cassandra] trait ColumnReader {

  /** @param bytes not null */
  def read(bytes: ByteBuffer, row: InternalRow, ordinal: Int): Unit
}

private[cassandra] object ColumnReader {

  def of(cql: CqlType, version: ProtocolVersion): ColumnReader = cql match {
    // The common ones without objects in between.
    case Cql.BIGINT | Cql.COUNTER =>
      (bytes, row, at) => row.setLong(at, TypeCodecs.BIGINT.decodePrimitive(bytes, version))
    case Cql.INT    => (bytes, row, at) => row.setInt(at, TypeCodecs.INT.decodePrimitive(bytes, version))
    case Cql.DOUBLE =>
      (bytes, row, at) => row.setDouble(at, TypeCodecs.DOUBLE.decodePrimitive(bytes, version))
    case Cql.TEXT | Cql.ASCII => (bytes, row, at) => row.update(at, utf8(bytes))
    case _                    =>
      val codec: TypeCodec[AnyRef] = CodecRegistry.DEFAULT.codecFor(cql)
      val convert                  = FromCql.of(cql)
      (bytes, row, at) => row.update(at, convert(codec.decode(bytes, version)))
  }

  private def utf8(bytes: ByteBuffer): UTF8String =
    if (bytes.hasArray) UTF8String.fromBytes(bytes.array, bytes.arrayOffset + bytes.position, bytes.remaining)
    else UTF8String.fromString(TypeCodecs.TEXT.decode(bytes, ProtocolVersion.DEFAULT))
}
