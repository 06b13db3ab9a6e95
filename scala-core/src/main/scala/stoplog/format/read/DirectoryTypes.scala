// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.time.{LocalDate, LocalDateTime}

import scala.util.Try

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.types._

/** The types of columns that directories tell, by all their values, as Spark's own sources infer them. */
private[stoplog] object DirectoryTypes {

  /** @param names  in the order that the columns are to have
    * @param values of each, escaped
    */
  def of(names: Seq[String], values: String => Iterable[String]): StructType =
    StructType(names.map(name => StructField(name, common(values(name).map(typeOf)))))

  private def common(types: Iterable[DataType]): DataType =
    types.filterNot(_ == NullType).reduceOption(wider).getOrElse(StringType)

  private def typeOf(escaped: String): DataType =
    if (escaped == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) NullType
    else {
      val text                     = ExternalCatalogUtils.unescapePathName(escaped)
      def is(parse: String => Any) = Try(parse(text)).isSuccess
      def isDigits                 = text.stripPrefix("-").forall(_.isDigit) && text.exists(_.isDigit)
      if (is(_.toInt)) IntegerType
      else if (is(_.toLong)) LongType
      else if (isDigits && text.length <= DecimalType.MAX_PRECISION)
        DecimalType(text.stripPrefix("-").length, 0)
      else if (is(_.toDouble)) DoubleType
      else if (is(LocalDate.parse(_))) DateType
      else if (text.contains(' ') && is(t => LocalDateTime.parse(t.replace(' ', 'T')))) TimestampType
      else StringType
    }

  private def wider(a: DataType, b: DataType): DataType = (a, b) match {
    case _ if a == b                                                 => a
    case (_: DecimalType, _: DecimalType)                            => if (rank(a) > rank(b)) a else b
    case _ if numbers.contains(rank(a)) && numbers.contains(rank(b)) => if (rank(a) > rank(b)) a else b
    case (DateType, TimestampType) | (TimestampType, DateType)       => TimestampType
    case _                                                           => StringType
  }

  private def rank(kind: DataType): Int = kind match {
    case IntegerType          => 0
    case LongType             => 1
    case decimal: DecimalType => 20 + decimal.precision
    case DoubleType           => 100
    case _                    => -1
  }

  private val numbers = 0 to 100
}
