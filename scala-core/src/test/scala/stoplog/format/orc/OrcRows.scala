// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, Period, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._

/** Schemas and rows of every type that Spark writes to ORC, from a seed. */
final class OrcRows(seed: Long) {

  private val random = new Random(seed)

  /** One column of each flat type, and some nested ones of random make. */
  def schema(): StructType = StructType(
    OrcRows.Flat.zipWithIndex.map { case (of, i) => StructField(s"c$i", of) } ++
      (0 until 3).map(i => StructField(s"n$i", nested(depth = 3)))
  )

  def rows(schema: StructType, count: Int): Seq[Row] = Seq.fill(count)(row(schema))

  def number(from: Int, to: Int): Int = from + random.nextInt(to - from + 1)

  private def row(schema: StructType): Row = Row.fromSeq(schema.map(field => optional(field.dataType)))

  private def nested(depth: Int): DataType =
    if (depth == 0) any(OrcRows.Flat)
    else
      random.nextInt(4) match {
        case 0 => ArrayType(nested(depth - 1))
        case 1 => MapType(any(OrcRows.Keys), nested(depth - 1))
        case 2 => StructType((0 to random.nextInt(3)).map(i => StructField(s"f$i", nested(depth - 1))))
        case _ => any(OrcRows.Flat)
      }

  private def optional(of: DataType): Any = if (random.nextInt(6) == 0) null else value(of)

  private def value(of: DataType): Any = of match {
    case BooleanType      => random.nextBoolean()
    case ByteType         => random.nextInt().toByte
    case ShortType        => random.nextInt().toShort
    case IntegerType      => any(Seq(0, Int.MinValue, Int.MaxValue, random.nextInt()))
    case LongType         => any(Seq(0L, Long.MinValue, Long.MaxValue, random.nextLong()))
    case FloatType        => any(Seq(0f, -1.5f, Float.MaxValue, random.nextFloat()))
    case DoubleType       => any(Seq(0d, Double.NegativeInfinity, 1e300, random.nextDouble()))
    case StringType       => any(Seq("", "ä€🚀", "x" * 300, random.alphanumeric.take(12).mkString))
    case BinaryType       => random.nextBytes(random.nextInt(20))
    case DateType         => LocalDate.ofEpochDay(any(Seq(-719162L, -200000L, 0L, 2932896L)))
    case TimestampType    => Instant.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000L)
    case TimestampNTZType =>
      LocalDateTime.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000, ZoneOffset.UTC)
    case of: DecimalType          => decimal(of)
    case _: YearMonthIntervalType => Period.ofMonths(random.nextInt()).normalized()
    case _: DayTimeIntervalType   =>
      Duration.ofSeconds(random.nextInt().toLong, random.nextInt(1000000) * 1000L)
    case ArrayType(of, _)    => Seq.fill(random.nextInt(4))(optional(of))
    case MapType(key, of, _) => Seq.fill(random.nextInt(4))(value(key) -> optional(of)).toMap
    case of: StructType      => row(of)
    case other               => throw new IllegalArgumentException(other.toString)
  }

  // From before the Gregorian calendar, from before 1900, and of today. Spark moves days that calendar left out.
  private def seconds(): Long = any(
    Seq(-62135596800L, -12400000001L, -2208988801L, 0L, random.nextInt().toLong)
  )

  private def decimal(of: DecimalType): JBigDecimal = {
    val digits = new BigInteger("9" * (1 + random.nextInt(of.precision)))
    new JBigDecimal(if (random.nextBoolean()) digits else digits.negate, of.scale)
  }

  private def any[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))
}

object OrcRows {

  /** Without dates, which are refused as keys. */
  val Keys: Seq[DataType] = Seq(StringType, IntegerType, LongType, DecimalType(9, 2))

  val Flat: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    StringType,
    BinaryType,
    DateType,
    TimestampType,
    TimestampNTZType,
    DecimalType(9, 4),
    DecimalType(18, 18),
    DecimalType(38, 10),
    YearMonthIntervalType(),
    DayTimeIntervalType()
  )

  /** Rows as a task gets them. */
  def internal(schema: StructType, rows: Seq[Row]): Seq[InternalRow] = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema)
    rows.map(convert(_).asInstanceOf[InternalRow])
  }

  /** With `==` by contents, arrays of bytes too. */
  def comparable(value: Any): Any = value match {
    case row: Row                        => row.toSeq.map(comparable)
    case bytes: Array[Byte]              => bytes.toSeq
    case map: scala.collection.Map[_, _] => map.map { case (k, v) => comparable(k) -> comparable(v) }.toMap
    case values: Iterable[_]             => values.map(comparable).toSeq
    case other                           => other
  }

  /** The first row that is not as it was expected. Whole files would take minutes to print. */
  def difference(found: Seq[Row], expected: Seq[Row]): Option[(Any, Any)] =
    found
      .zipAll(expected, Row("none"), Row("none"))
      .map { case (a, b) => comparable(a) -> comparable(b) }
      .find { case (a, b) => a != b }
}
