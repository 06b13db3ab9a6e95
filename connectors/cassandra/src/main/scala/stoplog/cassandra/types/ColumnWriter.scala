// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.nio.ByteBuffer

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType, DataTypes => Cql}
import com.datastax.oss.driver.api.core.`type`.codec.{TypeCodec, TypeCodecs}
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}

/** Writes one column of Spark's rows as bytes of the protocol. */
private[cassandra] trait ColumnWriter {

  /** Of a value that is not null. Error: an `IllegalArgumentException` or `ArithmeticException` that says why. */
  def bytes(row: SpecializedGetters, ordinal: Int): ByteBuffer
}

private[cassandra] object ColumnWriter {

  def of(spark: DataType, cql: CqlType, version: ProtocolVersion): Either[String, ColumnWriter] =
    (spark, cql) match {
      // The common ones without objects in between.
      case (LongType, Cql.BIGINT) =>
        Right((row, ordinal) => TypeCodecs.BIGINT.encodePrimitive(row.getLong(ordinal), version))
      case (IntegerType, Cql.INT) =>
        Right((row, ordinal) => TypeCodecs.INT.encodePrimitive(row.getInt(ordinal), version))
      case (StringType, Cql.TEXT) =>
        Right((row, ordinal) => ByteBuffer.wrap(row.getUTF8String(ordinal).getBytes))
      case _ => ToCql.of(spark, cql).map(general(spark, cql, version, _))
    }

  private def general(
      spark: DataType,
      cql: CqlType,
      version: ProtocolVersion,
      convert: ToCql.Conversion
  ): ColumnWriter = {
    val codec: TypeCodec[AnyRef] = CodecRegistry.DEFAULT.codecFor(cql)
    (row, ordinal) => codec.encode(convert(row.get(ordinal, spark)), version)
  }
}
