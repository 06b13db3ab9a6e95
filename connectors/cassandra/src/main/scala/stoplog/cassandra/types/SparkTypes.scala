// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.`type`.{
  DataType => CqlType, DataTypes => Cql, ListType, MapType => CqlMapType, SetType, TupleType, UserDefinedType,
  VectorType
}
import org.apache.spark.sql.types._

/** Which type of Spark's a column has when it is read. */
private[cassandra] object SparkTypes {

  /** None for a type that Spark has nothing for: one of the server's own classes. */
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

  /** A month has no fixed number of days, nor a day of hours: so Cassandra keeps three numbers. */
  val Duration: StructType =
    new StructType().add("months", IntegerType).add("days", IntegerType).add("nanoseconds", LongType)

  private def struct(names: Seq[String], types: Seq[CqlType]): Option[DataType] = {
    val fields = names.zip(types).flatMap { case (name, cql) => of(cql).map(StructField(name, _)) }
    Option.when(fields.size == types.size)(StructType(fields))
  }

  // As many digits as Spark has, half of them behind the point: Cassandra's decimals say nothing of their scale.
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
