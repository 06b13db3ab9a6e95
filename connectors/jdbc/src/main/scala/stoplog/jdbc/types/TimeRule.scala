// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.types

import java.time._

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

import stoplog.jdbc.types.ColumnType._
import stoplog.jdbc.types.ValueRule.{Reader, mismatch}

/** Dates and times into columns. */
private object TimeRule {

  def of(spark: DataType, column: ColumnType, forms: DriverForms): Either[String, Reader] = {
    val moments = forms.moments
    (spark, column) match {
      case (DateType, Day)            => Right((row, i) => moments.day(day(row, i)))
      case (DateType, _: LocalMoment) => Right((row, i) => moments.local(day(row, i).atStartOfDay))
      case (TimestampNTZType, LocalMoment(fraction)) =>
        Right((row, i) =>
          moments.local(inRange(DateTimeUtils.microsToLocalDateTime(micros(row, i, fraction))))
        )
      case (TimestampType, Moment(fraction)) =>
        Right { (row, i) =>
          val at = instant(row, i, fraction)
          inRange(LocalDateTime.ofInstant(at, ZoneOffset.UTC))
          moments.instant(at)
        }
      case (TimestampType, LocalMoment(fraction)) =>
        Right((row, i) => moments.local(inRange(unambiguous(instant(row, i, fraction), forms.zone))))
      case (TimestampType, SessionMoment(fraction)) =>
        Right { (row, i) =>
          val at = instant(row, i, fraction)
          if (at.getEpochSecond < 1 || at.getEpochSecond > Int.MaxValue)
            throw new Inexact("is not between 1970 and 2038")
          moments.local(unambiguous(at, forms.zone))
        }
      case (TimestampNTZType | DateType, _: Moment | _: SessionMoment) =>
        Left("a local time has no time zone; cast the column to TIMESTAMP")
      case (other, TimeOfDay(fraction)) if isTimeOfDay(other) =>
        Right((row, i) => moments.time(time(LocalTime.ofNanoOfDay(row.getLong(i)), fraction)))
      case _ => mismatch
    }
  }

  /** Whether a type is Spark's TIME, which older releases do not have. Its values are nanoseconds. */
  def isTimeOfDay(spark: DataType): Boolean = spark.typeName.startsWith("time(")

  /** Returns the time, or throws [[Inexact]] if the time has more digits. */
  def time(at: LocalTime, fraction: Int): LocalTime = {
    if (at.getNano % power(9 - fraction) != 0) throw finer(fraction)
    at
  }

  def instant(row: SpecializedGetters, i: Int, fraction: Int): Instant =
    DateTimeUtils.microsToInstant(micros(row, i, fraction))

  def day(row: SpecializedGetters, i: Int): LocalDate = {
    val day = LocalDate.ofEpochDay(row.getInt(i).toLong)
    inRange(day.atStartOfDay)
    day
  }

  /** Returns the local time in a zone. A column without a zone cannot distinguish the two instants of a local
    * time in the hour that is repeated at the end of summer time.
    */
  private def unambiguous(at: Instant, zone: ZoneId): LocalDateTime = {
    val local = LocalDateTime.ofInstant(at, zone)
    if (zone.getRules.getValidOffsets(local).size > 1)
      throw new Inexact(s"is one of two instants with the local time $local in the zone $zone")
    local
  }

  def inRange(at: LocalDateTime): LocalDateTime = {
    if (at.getYear < 1 || at.getYear > 9999) throw new Inexact("is not in the years 1 to 9999")
    at
  }

  def micros(row: SpecializedGetters, i: Int, fraction: Int): Long = {
    val value = row.getLong(i)
    if (fraction < 6 && value % power(6 - fraction) != 0) throw finer(fraction)
    value
  }

  private def finer(fraction: Int) = new Inexact(s"has more than $fraction digits after the second")

  private def power(digits: Int): Long = Powers(digits.max(0))

  private val Powers = Array.iterate(1L, 10)(_ * 10)
}
