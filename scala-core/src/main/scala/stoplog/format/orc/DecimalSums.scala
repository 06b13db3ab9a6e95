// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.math.{BigDecimal => JBigDecimal, MathContext, RoundingMode}

import org.apache.orc.{OrcProto, TypeDescription}
import org.apache.orc.TypeDescription.MAX_DECIMAL64_PRECISION

/** The sum of a decimal column, for the statistics of a file.
  *
  * In columns of at most 18 digits orc-core adds up to 18 digits, and then tells of the sum so far as if it were that of
  * all rows. Its readers ignore such a sum, but when it merges stripes it makes 0 of it, which they do not ignore.
  */
private[orc] object DecimalSums {

  /** @param stripes
    *   all of the file
    * @return
    *   empty if it cannot be known, or has more digits than a decimal can have
    */
  def of(stripes: Seq[OrcProto.StripeStatistics], column: TypeDescription): Option[String] = {
    val parts =
      stripes.map(_.getColStats(column.getId)).filter(_.getNumberOfValues > 0).map(_.getDecimalStatistics)
    val sums = parts.filter(_.hasSum).map(part => new JBigDecimal(part.getSum))
    if (sums.size == parts.size && sums.forall(isOfAllRows(_, column))) plain(sums) else None
  }

  private def isOfAllRows(sum: JBigDecimal, column: TypeDescription): Boolean =
    column.getPrecision > MAX_DECIMAL64_PRECISION ||
      sum.abs.movePointRight(column.getScale).compareTo(Limit) < 0

  private def plain(sums: Seq[JBigDecimal]): Option[String] =
    Some(sums.fold(JBigDecimal.ZERO)(_.add(_)).round(Digits))
      .filter(sum => sum.precision - sum.scale <= Digits.getPrecision)
      .map(_.stripTrailingZeros.toPlainString)

  private val Limit = JBigDecimal.TEN.pow(MAX_DECIMAL64_PRECISION)

  // As many as orc-core keeps, and rounded as it does.
  private val Digits = new MathContext(38, RoundingMode.HALF_UP)
}
