// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{DataType => CqlType, TupleType, UserDefinedType}
import com.datastax.oss.driver.api.core.`type`.codec.TypeCodec
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.data.{GettableByIndex, SettableByIndex}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.util.ColumnNames

/** Converts structs to user-defined types by the names of their fields, and to tuples by position. */
private[types] object UserValues {

  def toCql(struct: StructType, udt: UserDefinedType): Either[String, ToCql.Conversion] = {
    val names   = SparkTypes.names(udt)
    val found   = struct.fieldNames.map(ColumnNames.index(names, _))
    val unknown = struct.fieldNames.zip(found).collect { case (name, None) => name }
    val twice   =
      found.flatten.groupBy(identity).collect { case (at, several) if several.length > 1 => names(at) }
    if (unknown.nonEmpty) Left(s"the type ${udt.getName.asInternal} has no field ${unknown.mkString(", ")}")
    else if (twice.nonEmpty)
      Left(s"several fields are written to ${twice.mkString(", ")} of the type ${udt.getName.asInternal}")
    else {
      // A field that the struct lacks is null, as in an INSERT that omits the field.
      val fields = names.indices.map(at => found.indexOf(Some(at)))
      written(struct, fields, udt.getFieldTypes.asScala.toSeq)
        .map(write => row => write(row, udt.newValue()).asInstanceOf[AnyRef])
    }
  }

  def toCql(struct: StructType, tuple: TupleType): Either[String, ToCql.Conversion] = {
    val types = tuple.getComponentTypes.asScala.toSeq
    if (struct.size != types.size)
      Left(s"the tuple has ${types.size} components, and the struct ${struct.size}")
    else
      written(struct, struct.indices, types).map(write =>
        row => write(row, tuple.newValue()).asInstanceOf[AnyRef]
      )
  }

  def fromCql(struct: StructType, types: Seq[CqlType]): Any => Any = {
    val fields =
      struct.map(_.dataType).zip(types).map { case (_, cql) => Field(cql, FromCql.of(cql)) }.toArray
    value => {
      val all = value.asInstanceOf[GettableByIndex]
      new GenericInternalRow(Array.tabulate[Any](fields.length) { at =>
        // A value that was written before a field was added has fewer fields.
        if (at >= all.size || all.getBytesUnsafe(at) == null) null
        else fields(at).read(all.getBytesUnsafe(at))
      })
    }
  }

  private type Value = SettableByIndex[_]

  private def written(
      struct: StructType,
      fields: Seq[Int],
      types: Seq[CqlType]
  ): Either[String, (Any, Value) => Value] = {
    val all = fields.zip(types).zipWithIndex.collect {
      case ((field, cql), at) if field >= 0 =>
        ToCql.of(struct(field).dataType, cql).map(Part(field, at, struct(field).dataType, cql, _))
    }
    all.collectFirst { case Left(why) => why }.toLeft {
      val parts = all.collect { case Right(part) => part }
      (row, value) =>
        parts.foreach(_.write(row.asInstanceOf[InternalRow], value))
        value
    }
  }

  private final case class Part(
      field: Int,
      at: Int,
      spark: DataType,
      cql: CqlType,
      convert: ToCql.Conversion
  ) {
    private val codec = CodecRegistry.DEFAULT.codecFor(cql): TypeCodec[AnyRef]

    def write(row: InternalRow, value: Value): Unit = if (!row.isNullAt(field)) {
      value.setBytesUnsafe(at, codec.encode(convert(row.get(field, spark)), ProtocolVersion.DEFAULT))
      ()
    }
  }

  private final case class Field(cql: CqlType, convert: Any => Any) {
    private val codec = CodecRegistry.DEFAULT.codecFor(cql): TypeCodec[AnyRef]

    def read(bytes: ByteBuffer): Any = convert(codec.decode(bytes, ProtocolVersion.DEFAULT))
  }
}
