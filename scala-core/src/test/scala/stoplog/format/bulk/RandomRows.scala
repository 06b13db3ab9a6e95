// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.sql.{Date, Timestamp}
import java.time.{Duration, LocalDateTime, Period, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.types._

/** Values of any type, a tenth of them null where the schema allows it, and the odd ones more often than by chance. */
final class RandomRows(seed: Long) {

  private val random = new Random(seed)

  def rows(schema: StructType, count: Int): Seq[Row] = Seq.fill(count)(row(schema))

  private def row(schema: StructType): Row = Row.fromSeq(schema.map(f => value(f.dataType, f.nullable)))

  private def value(dataType: DataType, nullable: Boolean): Any =
    if (nullable && random.nextInt(10) == 0) null else value(dataType)

  private def value(dataType: DataType): Any = dataType match {
    case BooleanType      => random.nextBoolean()
    case ByteType         => one(Byte.MinValue, Byte.MaxValue, 0.toByte)(random.nextInt().toByte)
    case ShortType        => one(Short.MinValue, Short.MaxValue)(random.nextInt().toShort)
    case IntegerType      => one(Int.MinValue, Int.MaxValue, 0)(random.nextInt())
    case LongType         => one(Long.MinValue, Long.MaxValue, 0L)(random.nextLong())
    case FloatType        => one(Float.NaN, -0.0f, Float.MinValue)(random.nextFloat())
    case DoubleType       => one(Double.NaN, -0.0d, Double.PositiveInfinity)(random.nextGaussian())
    case StringType       => one("", "ä€🚀", "a\u0000b")(random.nextString(random.nextInt(30)))
    case BinaryType       => Array.fill(random.nextInt(20))(random.nextInt().toByte)
    case DateType         => new Date(random.between(-86400000L * 300000, 86400000L * 300000))
    case TimestampType    => microseconds(new Timestamp(random.between(-4000000000000L, 4000000000000L)))
    case TimestampNTZType =>
      LocalDateTime.ofEpochSecond(random.between(-4000000000L, 4000000000L), 0, ZoneOffset.UTC)
    case _: YearMonthIntervalType  => Period.ofMonths(random.between(-100000, 100000))
    case _: DayTimeIntervalType    => Duration.ofSeconds(random.between(-1000000000L, 1000000000L))
    case d: DecimalType            => decimal(d)
    case ArrayType(element, nulls) => Seq.fill(random.nextInt(4))(value(element, nulls))
    case MapType(key, of, nulls)   => Seq.fill(random.nextInt(4))(value(key) -> value(of, nulls)).toMap
    case struct: StructType        => row(struct)
    case NullType                  => null
    case other                     => throw new IllegalArgumentException(s"no values of $other")
  }

  private def decimal(of: DecimalType): java.math.BigDecimal = {
    val digits = 1 + random.nextInt(of.precision)
    val number = BigInt(Seq.fill(digits)(random.nextInt(10)).mkString) * (if (random.nextBoolean()) 1 else -1)
    new java.math.BigDecimal(number.bigInteger, of.scale)
  }

  private def microseconds(at: Timestamp): Timestamp = {
    at.setNanos(random.nextInt(1000000) * 1000)
    at
  }

  private def one[A](odd: A*)(any: => A): A =
    if (random.nextInt(8) == 0) odd(random.nextInt(odd.size)) else any
}
