// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.math.{BigDecimal => JBigDecimal}
import java.time.ZoneId

import scala.util.Try

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

import stoplog.jdbc.types.ColumnType._
import stoplog.jdbc.types.ValueRule.{Reader, mismatch}

/** Values into columns of SQLite, which converts by the affinity of a column. */
private object SqliteRule {

  /** @param zone the zone of local times
    */
  def of(spark: DataType, affinity: Affinity, zone: ZoneId): Either[String, Reader] = spark match {
    case DateType | TimestampType | TimestampNTZType if affinity == RealAffinity =>
      Left("the driver reads numbers of the column as days of the Julian calendar")
    case BooleanType => Right((row, i) => row.getBoolean(i))
    case ByteType    => Right((row, i) => whole(row.getByte(i).toLong, affinity))
    case ShortType   => Right((row, i) => whole(row.getShort(i).toLong, affinity))
    case IntegerType => Right((row, i) => whole(row.getInt(i).toLong, affinity))
    case LongType    => Right((row, i) => whole(row.getLong(i), affinity))
    case FloatType | DoubleType if affinity == TextAffinity =>
      Left("the column converts numbers to strings of 15 digits")
    case FloatType      => Right((row, i) => finite(row.getFloat(i).toDouble))
    case DoubleType     => Right((row, i) => finite(row.getDouble(i)))
    case d: DecimalType =>
      Right((row, i) => decimal(row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal, affinity))
    case _: StringType => Right((row, i) => text(TextRule.text(row, i), affinity))
    case BinaryType    => Right((row, i) => row.getBinary(i))
    case DateType      => Right((row, i) => moments(affinity, zone).day(TimeRule.day(row, i)))
    case TimestampType =>
      Right((row, i) => moments(affinity, zone).instant(TimeRule.instant(row, i, fraction(affinity))))
    case TimestampNTZType =>
      Right { (row, i) =>
        val micros = TimeRule.micros(row, i, fraction(affinity))
        moments(affinity, zone).local(TimeRule.inRange(DateTimeUtils.microsToLocalDateTime(micros)))
      }
    case other if TimeRule.isTimeOfDay(other) =>
      Right((row, i) => java.time.LocalTime.ofNanoOfDay(row.getLong(i)).toString)
    case _: ArrayType => mismatch
    case _            => Left("no database accepts such values")
  }

  private def moments(affinity: Affinity, zone: ZoneId): Moments =
    if (affinity == TextAffinity) Moments.Texts else Moments.Millis(zone)

  private def fraction(affinity: Affinity): Int = if (affinity == TextAffinity) 6 else 3

  private def whole(value: Long, affinity: Affinity): Long = {
    if (
      affinity == RealAffinity && new JBigDecimal(value.toDouble).compareTo(JBigDecimal.valueOf(value)) != 0
    )
      throw new Inexact("has more digits than the double precision of the column")
    value
  }

  /** SQLite stores NaN as null. */
  private def finite(value: Double): Double = {
    if (value.isNaN || value.isInfinite) throw new Inexact("is not a finite number")
    value
  }

  private def decimal(value: JBigDecimal, affinity: Affinity): Any = affinity match {
    case TextAffinity | NoAffinity => value.toPlainString
    case _                         =>
      val plain = value.stripTrailingZeros
      val near  = value.doubleValue
      if (affinity != RealAffinity && plain.scale <= 0 && Try(plain.longValueExact).isSuccess)
        plain.longValueExact
      else if (Try(new JBigDecimal(near.toString).compareTo(value)).getOrElse(1) == 0) near
      else throw new Inexact("has more digits than a number of SQLite")
  }

  /** A column with another affinity stores a text that is a number as this number. */
  private def text(value: String, affinity: Affinity): String = affinity match {
    case TextAffinity | NoAffinity => value
    case _                         =>
      if (Number.matches(value)) throw new Inexact("is a string that the column would store as a number")
      value
  }

  private val Number = "(?i)\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?\\s*".r
}
