// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import java.math.{BigDecimal => JBigDecimal, BigInteger}
import java.time.{Duration, Instant, LocalDate, LocalDateTime, Period, ZoneOffset}

import scala.util.Random

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.types._
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.VariantVal

/** Schemas and rows of every type that Spark writes to Parquet, from a seed. */
final class RandomRows(seed: Long) {

  private val random = new Random(seed)

  /** One column of each flat type, and some nested ones of random make. */
  def schema(): StructType = StructType(
    RandomRows.Flat.zipWithIndex.map { case (of, i) => StructField(s"c$i", of) } ++
      (0 until 4).map(i => StructField(s"n$i", nested(depth = 3), nullable = random.nextBoolean()))
  )

  def row(schema: StructType): Row = Row.fromSeq(schema.map(field => value(field)))

  private def nested(depth: Int): DataType =
    if (depth == 0) any(RandomRows.Flat)
    else
      random.nextInt(4) match {
        case 0 => ArrayType(nested(depth - 1), containsNull = random.nextBoolean())
        // Rows are compared as Scala compares them, which fails for arrays of bytes and NaN as keys.
        case 1 => MapType(any(RandomRows.Keys), nested(depth - 1), valueContainsNull = random.nextBoolean())
        case 2 =>
          StructType(
            (0 to random.nextInt(3)).map(i => StructField(s"f$i", nested(depth - 1), random.nextBoolean()))
          )
        case _ => any(RandomRows.Flat)
      }

  private def value(field: StructField): Any = optional(field.nullable, field.dataType)

  private def optional(nullable: Boolean, of: DataType): Any =
    if (nullable && random.nextInt(6) == 0) null else value(of)

  private def value(of: DataType): Any = of match {
    case BooleanType      => random.nextBoolean()
    case ByteType         => random.nextInt().toByte
    case ShortType        => random.nextInt().toShort
    case IntegerType      => any(Seq(0, Int.MinValue, Int.MaxValue, random.nextInt()))
    case LongType         => any(Seq(0L, Long.MinValue, Long.MaxValue, random.nextLong()))
    case FloatType        => any(Seq(0f, 1.5f, Float.MaxValue, random.nextFloat()))
    case DoubleType       => any(Seq(0d, Double.NegativeInfinity, 1e300, random.nextDouble()))
    case StringType       => any(Seq("", "ä€🚀", "x" * 200, random.alphanumeric.take(12).mkString))
    case BinaryType       => random.nextBytes(random.nextInt(20))
    case DateType         => LocalDate.ofEpochDay(any(Seq(-719162L, -200000L, -141427L, 0L, 2932896L)))
    case TimestampType    => Instant.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000L)
    case TimestampNTZType =>
      LocalDateTime.ofEpochSecond(seconds(), random.nextInt(1000000) * 1000, ZoneOffset.UTC)
    case of: DecimalType          => decimal(of)
    case _: YearMonthIntervalType => Period.ofMonths(random.nextInt()).normalized()
    case _: DayTimeIntervalType   =>
      Duration.ofSeconds(random.nextInt().toLong, random.nextInt(1000000) * 1000L)
    case VariantType                => RandomRows.variant(s"""{"a":${random.nextInt()},"b":[true,"x"]}""")
    case ArrayType(of, nullable)    => Seq.fill(random.nextInt(4))(optional(nullable, of))
    case MapType(key, of, nullable) => Seq.fill(random.nextInt(4))(value(key) -> optional(nullable, of)).toMap
    case of: StructType             => row(of)
    case other                      => throw new IllegalArgumentException(other.toString)
  }

  // From before the Gregorian calendar, from before 1900, and of today.
  private def seconds(): Long = any(
    Seq(-62135596800L, -12219292801L, -2208988801L, 0L, random.nextInt().toLong)
  )

  private def decimal(of: DecimalType): JBigDecimal = {
    val digits = new BigInteger("9" * (1 + random.nextInt(of.precision)))
    new JBigDecimal(if (random.nextBoolean()) digits else digits.negate, of.scale)
  }

  private def any[A](choices: Seq[A]): A = choices(random.nextInt(choices.size))
}

object RandomRows {

  val Keys: Seq[DataType] = Seq(StringType, IntegerType, LongType, DateType, DecimalType(9, 2))

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
    DecimalType(1, 0),
    DecimalType(9, 4),
    DecimalType(18, 18),
    DecimalType(19, 3),
    DecimalType(38, 0),
    DecimalType(38, 38),
    YearMonthIntervalType(),
    DayTimeIntervalType(),
    VariantType
  )

  def variant(json: String): VariantVal = {
    val parsed = VariantBuilder.parseJson(json, false)
    new VariantVal(parsed.getValue, parsed.getMetadata)
  }

  /** Rows as a task gets them. */
  def internal(schema: StructType, rows: Seq[Row]): Seq[InternalRow] = {
    val convert = CatalystTypeConverters.createToCatalystConverter(schema)
    rows.map(convert(_).asInstanceOf[InternalRow])
  }
}
