// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, Period, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.VariantVal

/** Schemas of every type that Spark writes in a format, and rows of them, from a seed.
  *
  * @param flat   the types that are not nested
  * @param keys   those of maps
  * @param nested how many columns of nested types there are
  */
abstract class RandomTables(seed: Long, flat: Seq[DataType], keys: Seq[DataType], nested: Int) {

  protected final val random = new Random(seed)

  /** Whether what is nested may be null. */
  protected def mayBeNull(): Boolean

  protected def days: Seq[Long]

  /** Of moments that are not of today. */
  protected def earlySeconds: Seq[Long]

  /** One column of each flat type, and some nested ones of random make. */
  final def schema(): StructType = StructType(
    flat.zipWithIndex.map { case (of, i) => StructField(s"c$i", of) } ++
      (0 until nested).map(i => StructField(s"n$i", made(depth = 3), mayBeNull()))
  )

  final def rows(schema: StructType, count: Int): Seq[Row] = Seq.fill(count)(row(schema))

  final def row(schema: StructType): Row =
    Row.fromSeq(schema.map(field => optional(field.nullable, field.dataType)))

  final def number(from: Int, to: Int): Int = from + random.nextInt(to - from + 1)

  private def made(depth: Int): DataType =
    if (depth == 0) any(flat)
    else
      random.nextInt(4) match {
        case 0 => ArrayType(made(depth - 1), mayBeNull())
        case 1 => MapType(any(keys), made(depth - 1), mayBeNull())
        case 2 =>
          StructType((0 to random.nextInt(3)).map(i => StructField(s"f$i", made(depth - 1), mayBeNull())))
        case _ => any(flat)
      }

  private def optional(nullable: Boolean, of: DataType): Any =
    if (nullable && random.nextInt(6) == 0) null else value(of)

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
    case DateType         => LocalDate.ofEpochDay(any(days))
    case TimestampType    => Instant.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000L)
    case TimestampNTZType =>
      LocalDateTime.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000, ZoneOffset.UTC)
    case of: DecimalType          => decimal(of)
    case _: YearMonthIntervalType => Period.ofMonths(random.nextInt()).normalized()
    case _: DayTimeIntervalType   =>
      Duration.ofSeconds(random.nextInt().toLong, random.nextInt(1000000) * 1000L)
    case VariantType             => RandomTables.variant(s"""{"a":${random.nextInt()},"b":[true,"x"]}""")
    case ArrayType(of, nulls)    => Seq.fill(random.nextInt(4))(optional(nulls, of))
    case MapType(key, of, nulls) => Seq.fill(random.nextInt(4))(value(key) -> optional(nulls, of)).toMap
    case of: StructType          => row(of)
    case other                   => throw new IllegalArgumentException(other.toString)
  }

  private def seconds(): Long = any(earlySeconds ++ Seq(0L, random.nextInt().toLong))

  private def decimal(of: DecimalType): JBigDecimal = {
    val digits = new BigInteger("9" * (1 + random.nextInt(of.precision)))
    new JBigDecimal(if (random.nextBoolean()) digits else digits.negate, of.scale)
  }

  private def any[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))
}

object RandomTables {

  /** The types of every format that are not nested, with some decimals. */
  def flat(decimals: DecimalType*): Seq[DataType] = Seq(
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
    TimestampNTZType
  ) ++ decimals ++ Seq(YearMonthIntervalType(), DayTimeIntervalType())

  def variant(json: String): VariantVal = {
    val parsed = VariantBuilder.parseJson(json, false)
    new VariantVal(parsed.getValue, parsed.getMetadata)
  }

  /** Rows as a task gets them. */
  def internal(schema: StructType, rows: Seq[Row]): Seq[InternalRow] = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema)
    rows.map(convert(_).asInstanceOf[InternalRow])
  }

  /** The same rows in Spark's own memory layout, as operators hand them on. */
  def unsafe(schema: StructType, rows: Seq[InternalRow]): Seq[InternalRow] = {
    val project = UnsafeProjection.create(schema)
    rows.map(project(_).copy())
  }
}
