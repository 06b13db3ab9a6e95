// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.lang.{Iterable => JIterable}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime}
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{
  DataType => CqlType, DataTypes => Cql, ListType, MapType => CqlMapType, SetType, TupleType, UserDefinedType,
  VectorType
}
import com.datastax.oss.driver.api.core.`type`.codec.{TypeCodec, TypeCodecs}
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.data.{ByteUtils, CqlDuration}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Converts non-null values of the driver to Spark's internal values. */
private[cassandra] object FromCql {

  /** Returns the conversion of a type that [[SparkTypes]] supports. */
  def of(cql: CqlType): Any => Any = cql match {
    case list: ListType       => elements(of(list.getElementType))
    case set: SetType         => elements(of(set.getElementType))
    case vector: VectorType   => elements(of(vector.getElementType))
    case map: CqlMapType      => entries(of(map.getKeyType), of(map.getValueType))
    case udt: UserDefinedType => UserValues.fromCql(struct(udt), udt.getFieldTypes.asScala.toSeq)
    case tuple: TupleType     => UserValues.fromCql(struct(tuple), tuple.getComponentTypes.asScala.toSeq)
    case plain                => simple.getOrElse(plain, identity)
  }

  /** Converts a decimal of any size to Spark's precision without rounding. Error: an `ArithmeticException`
    * with the value if digits do not fit.
    */
  private def decimal(value: JBigDecimal, scale: Int): Decimal = {
    val made = Decimal(value)
    if (value.stripTrailingZeros.scale > scale || !made.changePrecision(38, scale))
      throw new ArithmeticException(s"$value does not fit in DECIMAL(38, $scale)")
    made
  }

  private def struct(cql: CqlType): StructType = SparkTypes.of(cql).get.asInstanceOf[StructType]

  private def elements(convert: Any => Any): Any => Any =
    value => new GenericArrayData(value.asInstanceOf[JIterable[_]].asScala.iterator.map(convert).toArray[Any])

  private def entries(keys: Any => Any, values: Any => Any): Any => Any = { value =>
    val map = value.asInstanceOf[JMap[Any, Any]].asScala.toArray
    new ArrayBasedMapData(
      new GenericArrayData(map.map { case (key, _) => keys(key) }),
      new GenericArrayData(map.map { case (_, item) => values(item) })
    )
  }

  private val text: Any => Any = value => UTF8String.fromString(value.toString)

  private val simple: Map[CqlType, Any => Any] = Map(
    Cql.ASCII     -> text,
    Cql.TEXT      -> text,
    Cql.UUID      -> text,
    Cql.TIMEUUID  -> text,
    Cql.INET      -> (value => UTF8String.fromString(value.asInstanceOf[InetAddress].getHostAddress)),
    Cql.TIME      -> (value => value.asInstanceOf[LocalTime].toNanoOfDay),
    Cql.VARINT    -> (value => decimal(new JBigDecimal(value.asInstanceOf[BigInteger]), 0)),
    Cql.DECIMAL   -> (value => decimal(value.asInstanceOf[JBigDecimal], 18)),
    Cql.BLOB      -> (value => ByteUtils.getArray(value.asInstanceOf[ByteBuffer])),
    Cql.DATE      -> (value => Math.toIntExact(value.asInstanceOf[LocalDate].toEpochDay)),
    Cql.TIMESTAMP -> (value => Math.multiplyExact(value.asInstanceOf[Instant].toEpochMilli, 1000L)),
    Cql.DURATION  -> { value =>
      val duration = value.asInstanceOf[CqlDuration]
      InternalRow(duration.getMonths, duration.getDays, duration.getNanoseconds)
    }
  )
}

/** Decodes a column from the protocol's encoding into a Spark row. */
private[cassandra] trait ColumnReader {

  /** @param bytes not null */
  def read(bytes: ByteBuffer, row: InternalRow, ordinal: Int): Unit
}

private[cassandra] object ColumnReader {

  def of(cql: CqlType, version: ProtocolVersion): ColumnReader = cql match {
    // Common types, without intermediate objects.
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

/** The Spark types of columns that are read. */
private[cassandra] object SparkTypes {

  /** Returns the Spark type; `None` for an unsupported type, such as a custom class of the server. */
  def of(cql: CqlType): Option[DataType] = cql match {
    case list: ListType     => of(list.getElementType).map(ArrayType(_, containsNull = false))
    case set: SetType       => of(set.getElementType).map(ArrayType(_, containsNull = false))
    case vector: VectorType => of(vector.getElementType).map(ArrayType(_, containsNull = false))
    case map: CqlMapType    =>
      for {
        key   <- of(map.getKeyType)
        value <- of(map.getValueType)
      } yield MapType(key, value, valueContainsNull = false)
    case udt: UserDefinedType => struct(names(udt), udt.getFieldTypes.asScala.toSeq)
    case tuple: TupleType     =>
      val types = tuple.getComponentTypes.asScala.toSeq
      struct(types.indices.map(at => s"_${at + 1}"), types)
    case plain => simple.get(plain)
  }

  def names(udt: UserDefinedType): Seq[String] = udt.getFieldNames.asScala.map(_.asInternal).toSeq

  /** Months differ in days, and days in hours: therefore Cassandra stores three numbers. */
  val Duration: StructType =
    new StructType().add("months", IntegerType).add("days", IntegerType).add("nanoseconds", LongType)

  private def struct(names: Seq[String], types: Seq[CqlType]): Option[DataType] = {
    val fields = names.zip(types).flatMap { case (name, cql) => of(cql).map(StructField(name, _)) }
    Option.when(fields.size == types.size)(StructType(fields))
  }

  // Spark's maximum precision, with half of the digits after the point: Cassandra's decimals have no fixed
  // scale.
  private val simple: Map[CqlType, DataType] = Map(
    Cql.ASCII     -> StringType,
    Cql.TEXT      -> StringType,
    Cql.UUID      -> StringType,
    Cql.TIMEUUID  -> StringType,
    Cql.INET      -> StringType,
    Cql.TINYINT   -> ByteType,
    Cql.SMALLINT  -> ShortType,
    Cql.INT       -> IntegerType,
    Cql.BIGINT    -> LongType,
    Cql.COUNTER   -> LongType,
    Cql.TIME      -> LongType,
    Cql.VARINT    -> DecimalType(38, 0),
    Cql.DECIMAL   -> DecimalType(38, 18),
    Cql.FLOAT     -> FloatType,
    Cql.DOUBLE    -> DoubleType,
    Cql.BOOLEAN   -> BooleanType,
    Cql.BLOB      -> BinaryType,
    Cql.DATE      -> DateType,
    Cql.TIMESTAMP -> TimestampType,
    Cql.DURATION  -> Duration
  )
}
