// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.types

import java.lang.{Iterable => JIterable}
import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.net.InetAddress
import java.nio.ByteBuffer
import java.time.{Instant, LocalDate, LocalTime}
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.`type`.{
  DataType => CqlType, DataTypes => Cql, ListType, MapType => CqlMapType, SetType, TupleType, UserDefinedType,
  VectorType
}
import com.datastax.oss.driver.api.core.data.CqlDuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.types.{Decimal, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Makes values of Spark's, as rows hold them, of the driver's, none of them null. */
private[cassandra] object FromCql {

  /** For a type that [[SparkTypes]] has one for. */
  def of(cql: CqlType): Any => Any = cql match {
    case list: ListType       => elements(of(list.getElementType))
    case set: SetType         => elements(of(set.getElementType))
    case vector: VectorType   => elements(of(vector.getElementType))
    case map: CqlMapType      => entries(of(map.getKeyType), of(map.getValueType))
    case udt: UserDefinedType => UserValues.fromCql(struct(udt), udt.getFieldTypes.asScala.toSeq)
    case tuple: TupleType     => UserValues.fromCql(struct(tuple), tuple.getComponentTypes.asScala.toSeq)
    case plain                => simple.getOrElse(plain, identity)
  }

  /** A decimal of any size as Spark has room for it. Error: an `ArithmeticException` that says the value. */
  private def decimal(value: JBigDecimal, scale: Int): Decimal = {
    val made = Decimal(value)
    if (!made.changePrecision(38, scale))
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
    Cql.BLOB      -> (value => bytes(value.asInstanceOf[ByteBuffer])),
    Cql.DATE      -> (value => Math.toIntExact(value.asInstanceOf[LocalDate].toEpochDay)),
    Cql.TIMESTAMP -> (value => Math.multiplyExact(value.asInstanceOf[Instant].toEpochMilli, 1000L)),
    Cql.DURATION  -> { value =>
      val duration = value.asInstanceOf[CqlDuration]
      InternalRow(duration.getMonths, duration.getDays, duration.getNanoseconds)
    }
  )

  private def bytes(buffer: ByteBuffer): Array[Byte] = {
    val copy = new Array[Byte](buffer.remaining)
    buffer.duplicate().get(copy)
    copy
  }
}
