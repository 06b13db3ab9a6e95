// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.math.{BigDecimal => JBigDecimal}
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime}
import java.util.{
  ArrayList => JArrayList, LinkedHashMap => JLinkedHashMap, LinkedHashSet => JLinkedHashSet, UUID
}

import com.datastax.oss.driver.api.core.ProtocolVersion
import com.datastax.oss.driver.api.core.`type`.{
  DataType => CqlType, DataTypes => Cql, ListType, MapType => CqlMapType, SetType, TupleType, UserDefinedType,
  VectorType
}
import com.datastax.oss.driver.api.core.`type`.codec.{TypeCodec, TypeCodecs}
import com.datastax.oss.driver.api.core.`type`.codec.registry.CodecRegistry
import com.datastax.oss.driver.api.core.data.{CqlDuration, CqlVector}
import com.datastax.oss.driver.shaded.guava.common.net.InetAddresses
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Converts Spark's internal non-null values to Cassandra driver values. A value that cannot be converted
  * throws an `IllegalArgumentException` with the reason.
  */
private[cassandra] object ToCql {

  type Conversion = Any => AnyRef

  /** Returns the conversion from a Spark type to a Cassandra type, or the reason for its absence. */
  def of(spark: DataType, cql: CqlType): Either[String, Conversion] = (spark, cql) match {
    case (ArrayType(element, _), list: ListType)     => elements(element, list.getElementType).map(asList)
    case (ArrayType(element, _), set: SetType)       => elements(element, set.getElementType).map(asSet)
    case (ArrayType(element, _), vector: VectorType) =>
      elements(element, vector.getElementType).map(asVector(_, vector.getDimensions))
    case (MapType(key, value, _), map: CqlMapType) =>
      for {
        keys   <- elements(key, map.getKeyType)
        values <- elements(value, map.getValueType)
      } yield asMap(keys, values)
    case (struct: StructType, Cql.DURATION) if isDuration(struct) => Right(duration)
    case (struct: StructType, udt: UserDefinedType)               => UserValues.toCql(struct, udt)
    case (struct: StructType, tuple: TupleType)                   => UserValues.toCql(struct, tuple)
    case (_, Cql.COUNTER)                                         => Left("counters can only be added to")
    case _ => simple(spark, cql).toRight(s"${spark.sql} is not written to ${cql.asCql(true, false)}")
  }

  private def simple(spark: DataType, cql: CqlType): Option[Conversion] = Option(cql match {
    case Cql.TEXT | Cql.ASCII if isString(spark)    => value => valid(value.asInstanceOf[UTF8String]).toString
    case Cql.UUID | Cql.TIMEUUID if isString(spark) => value => uuid(value.toString)
    case Cql.INET if isString(spark)                => value => InetAddresses.forString(value.toString)
    case Cql.TINYINT if spark == ByteType           => boxed
    case Cql.SMALLINT                               => whole(spark, 2)(_.toShort.asInstanceOf[AnyRef])
    case Cql.INT                                    => whole(spark, 4)(_.toInt.asInstanceOf[AnyRef])
    case Cql.BIGINT                                 => whole(spark, 8)(_.asInstanceOf[AnyRef])
    case Cql.TIME if spark == LongType     => value => LocalTime.ofNanoOfDay(value.asInstanceOf[Long])
    case Cql.VARINT                        => varint(spark)
    case Cql.DECIMAL                       => decimal(spark)
    case Cql.FLOAT if spark == FloatType   => boxed
    case Cql.DOUBLE if spark == DoubleType => boxed
    case Cql.DOUBLE if spark == FloatType  => value => value.asInstanceOf[Float].toDouble.asInstanceOf[AnyRef]
    case Cql.BOOLEAN if spark == BooleanType => boxed
    case Cql.BLOB if spark == BinaryType     => value => ByteBuffer.wrap(value.asInstanceOf[Array[Byte]])
    case Cql.DATE if spark == DateType       => value => LocalDate.ofEpochDay(value.asInstanceOf[Int].toLong)
    case Cql.TIMESTAMP if spark == TimestampType => instant
    case _                                       => null
  })

  /** Java reads incomplete texts, and cuts digits. */
  private def uuid(text: String): UUID = {
    val read = UUID.fromString(text)
    if (!read.toString.equalsIgnoreCase(text))
      throw new IllegalArgumentException("it is not a UUID of 36 characters")
    read
  }

  private val boxed: Conversion = _.asInstanceOf[AnyRef]

  // Cassandra stores milliseconds: as in Spark itself, the rest is rounded down.
  private val instant: Conversion =
    value => Instant.ofEpochMilli(Math.floorDiv(value.asInstanceOf[Long], 1000L))

  private[types] def valid(value: UTF8String): UTF8String = {
    if (!value.isValid) throw new IllegalArgumentException("it is not valid UTF-8")
    value
  }

  private def isString(spark: DataType): Boolean = spark.isInstanceOf[StringType]

  /** Returns a conversion of whole numbers with at most the given number of bytes. */
  private def whole(spark: DataType, bytes: Int)(narrow: Long => AnyRef): Conversion = spark match {
    case ByteType                  => value => narrow(value.asInstanceOf[Byte].toLong)
    case ShortType if bytes >= 2   => value => narrow(value.asInstanceOf[Short].toLong)
    case IntegerType if bytes >= 4 => value => narrow(value.asInstanceOf[Int].toLong)
    case LongType if bytes >= 8    => value => narrow(value.asInstanceOf[Long])
    case _                         => null
  }

  private def varint(spark: DataType): Conversion = spark match {
    case whole: DecimalType if whole.scale == 0 =>
      value => value.asInstanceOf[Decimal].toJavaBigDecimal.toBigIntegerExact
    case _ => whole(spark, 8)(java.math.BigInteger.valueOf(_))
  }

  private def decimal(spark: DataType): Conversion = spark match {
    case _: DecimalType => value => value.asInstanceOf[Decimal].toJavaBigDecimal
    case _              => whole(spark, 8)(JBigDecimal.valueOf(_))
  }

  private def isDuration(struct: StructType): Boolean =
    struct.map(field => field.name -> field.dataType) == SparkTypes.Duration.map(field =>
      field.name -> field.dataType
    )

  private val duration: Conversion = { value =>
    val row = value.asInstanceOf[InternalRow]
    if ((0 until 3).exists(row.isNullAt)) throw new IllegalArgumentException("a part of the duration is null")
    CqlDuration.newInstance(row.getInt(0), row.getInt(1), row.getLong(2))
  }

  // Collections.

  private final case class Elements(spark: DataType, convert: Conversion) {
    def apply(array: ArrayData, at: Int): AnyRef = {
      if (array.isNullAt(at)) throw new IllegalArgumentException("it has a null among its elements")
      convert(array.get(at, spark))
    }
  }

  private def elements(spark: DataType, cql: CqlType): Either[String, Elements] =
    of(spark, cql).map(Elements(spark, _))

  private def asList(elements: Elements): Conversion = { value =>
    val array = value.asInstanceOf[ArrayData]
    val list  = new JArrayList[AnyRef](array.numElements())
    for (at <- 0 until array.numElements()) list.add(elements(array, at))
    list
  }

  private def asSet(elements: Elements): Conversion = { value =>
    val array = value.asInstanceOf[ArrayData]
    val set   = new JLinkedHashSet[AnyRef]
    for (at <- 0 until array.numElements()) set.add(elements(array, at))
    set
  }

  private def asVector(elements: Elements, dimensions: Int): Conversion = {
    val list = asList(elements)
    value => {
      val all = list(value).asInstanceOf[JArrayList[AnyRef]]
      if (all.size != dimensions)
        throw new IllegalArgumentException(s"it has ${all.size} elements, and the vector $dimensions")
      CqlVector.newInstance[AnyRef](all)
    }
  }

  private def asMap(keys: Elements, values: Elements): Conversion = { value =>
    val data = value.asInstanceOf[MapData]
    val map  = new JLinkedHashMap[AnyRef, AnyRef]
    for (at <- 0 until data.numElements())
      map.put(keys(data.keyArray(), at), values(data.valueArray(), at))
    map
  }
}

/** Encodes a column of a Spark row in the protocol's encoding. */
private[cassandra] trait ColumnWriter {

  /** Encodes a non-null value. Error: an `IllegalArgumentException` or `ArithmeticException` with the reason.
    */
  def bytes(row: SpecializedGetters, ordinal: Int): ByteBuffer
}

private[cassandra] object ColumnWriter {

  def of(spark: DataType, cql: CqlType, version: ProtocolVersion): Either[String, ColumnWriter] =
    (spark, cql) match {
      // Common types, without intermediate objects.
      case (LongType, Cql.BIGINT) =>
        Right((row, ordinal) => TypeCodecs.BIGINT.encodePrimitive(row.getLong(ordinal), version))
      case (IntegerType, Cql.INT) =>
        Right((row, ordinal) => TypeCodecs.INT.encodePrimitive(row.getInt(ordinal), version))
      case (StringType, Cql.TEXT) =>
        Right((row, ordinal) => ByteBuffer.wrap(ToCql.valid(row.getUTF8String(ordinal)).getBytes))
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
