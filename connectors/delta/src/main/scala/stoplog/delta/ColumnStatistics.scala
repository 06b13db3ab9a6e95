// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.LocalDate
import java.util.concurrent.TimeUnit

import io.delta.kernel.expressions.Literal
import io.delta.kernel.types._
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.schema.LogicalTypeAnnotation.{
  TimeUnit => ParquetUnit, TimestampLogicalTypeAnnotation
}

/** The bounds of a column in a file, by the statistics of its row groups.
  *
  * @param nulls  the number of nulls
  * @param merged of all row groups; `None` if a row group has values without bounds
  */
private[delta] final class ColumnStatistics private (val nulls: Long, merged: Option[Statistics[_]]) {
  import ColumnStatistics._

  /** The smallest value, or a smaller one; `None` if unknown. */
  def min(kind: DataType): Option[Literal] = bound(kind, Lower)

  /** The largest value, or a larger one; `None` if unknown. */
  def max(kind: DataType): Option[Literal] = bound(kind, Upper)

  private def bound(kind: DataType, side: Side): Option[Literal] = merged.flatMap { found =>
    val value = if (side == Lower) found.genericGetMin: Any else found.genericGetMax: Any
    val bytes = if (side == Lower) found.getMinBytes else found.getMaxBytes
    (kind, value) match {
      case (_: ByteType, number: Integer)                     => Some(Literal.ofByte(number.byteValue))
      case (_: ShortType, number: Integer)                    => Some(Literal.ofShort(number.shortValue))
      case (_: IntegerType, number: Integer)                  => Some(Literal.ofInt(number))
      case (_: LongType, number: java.lang.Long)              => Some(Literal.ofLong(number))
      case (_: FloatType, number: java.lang.Float)            => Some(Literal.ofFloat(number))
      case (_: DoubleType, number: java.lang.Double)          => Some(Literal.ofDouble(number))
      case (_: DateType, day: Integer) if Days(day.longValue) => Some(Literal.ofDate(day))
      case (of: DecimalType, number)                          => decimal(of, number, bytes)
      case (_: StringType, _)                                 => text(new String(bytes, UTF_8), side)
      case (_: TimestampType, ticks: java.lang.Long) => micros(found, ticks, side).map(Literal.ofTimestamp(_))
      case (_: TimestampNTZType, ticks: java.lang.Long) =>
        micros(found, ticks, side).map(Literal.ofTimestampNtz(_))
      case _ => None
    }
  }

  private def decimal(of: DecimalType, number: Any, bytes: Array[Byte]): Option[Literal] = {
    val unscaled = number match {
      case small: Integer        => BigInteger.valueOf(small.longValue)
      case large: java.lang.Long => BigInteger.valueOf(large)
      case _                     => new BigInteger(bytes)
    }
    Some(Literal.ofDecimal(new BigDecimal(unscaled, of.getScale), of.getPrecision, of.getScale))
  }

  /** Shortens long texts, as Delta does: a longer prefix would only enlarge the log. */
  private def text(whole: String, side: Side): Option[Literal] =
    if (whole.codePointCount(0, whole.length) <= PrefixLength) Some(Literal.ofString(whole))
    else {
      val end = whole.offsetByCodePoints(0, PrefixLength)
      side match {
        case Lower => Some(Literal.ofString(whole.take(end)))
        case Upper if whole.codePointAt(end) < Character.MAX_CODE_POINT =>
          Some(Literal.ofString(whole.take(end) + Character.toString(Character.MAX_CODE_POINT)))
        case Upper => None
      }
    }

  /** Delta stores milliseconds: the upper bound is rounded up, so that readers of any kind find the row. */
  private def micros(found: Statistics[_], ticks: Long, side: Side): Option[Long] =
    found.`type`.getLogicalTypeAnnotation match {
      case of: TimestampLogicalTypeAnnotation =>
        val millis = of.getUnit match {
          case ParquetUnit.MILLIS => ticks
          case _ if side == Lower => Math.floorDiv(ticks, MicrosPerMilli)
          case _                  => -Math.floorDiv(-ticks, MicrosPerMilli)
        }
        Option.when(Days(Math.floorDiv(millis, TimeUnit.DAYS.toMillis(1))))(millis * MicrosPerMilli)
      case _ => None
    }
}

private[delta] object ColumnStatistics {

  /** @param chunks of all row groups, with the numbers of nulls
    * @param rows   of the file
    */
  def of(chunks: Vector[Statistics[_]], rows: Long): ColumnStatistics = {
    val nulls = chunks.map(_.getNumNulls).sum
    if (nulls == rows || !chunks.forall(hasBounds)) new ColumnStatistics(nulls, None)
    else {
      val merged: Statistics[_] = chunks.head.copy()
      chunks.tail.foreach(next => merged.mergeStatistics(next))
      new ColumnStatistics(nulls, Some(merged))
    }
  }

  /** Parquet leaves out bounds of columns with `NaN`, which then look like columns without values. */
  private def hasBounds(chunk: Statistics[_]): Boolean = chunk.hasNonNullValue

  private sealed trait Side
  private case object Lower extends Side
  private case object Upper extends Side

  /** The days with a year of four digits, which readers of the log parse. */
  private val Days: Long => Boolean = {
    val (first, last) = (LocalDate.of(1, 1, 1).toEpochDay, LocalDate.of(9999, 12, 31).toEpochDay)
    day => first <= day && day <= last
  }

  private val PrefixLength   = 32
  private val MicrosPerMilli = 1000L
}
