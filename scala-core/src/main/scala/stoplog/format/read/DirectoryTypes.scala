// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.math.BigDecimal
import java.time.{LocalDate, LocalDateTime}

import scala.util.Try

import org.apache.spark.sql.catalyst.analysis.TypeCoercion
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
      if (is(_.toInt)) IntegerType
      else if (is(_.toLong)) LongType
      else
        whole(text).getOrElse {
          if (is(_.toDouble)) DoubleType
          else if (is(LocalDate.parse(_))) DateType
          else if (isTimestamp(text)) TimestampType
          else StringType
        }
    }

  /** To Spark a time with more than one digit of a second's fraction is a text. */
  private def isTimestamp(text: String): Boolean =
    Timestamp.matches(text) && Try(LocalDateTime.parse(text.replace(' ', 'T'))).isSuccess

  /** Of a number without a fraction that no integer holds, or that has an exponent. */
  private def whole(text: String): Option[DataType] =
    Try(new BigDecimal(text)).toOption
      .filter(number => number.scale <= 0 && number.precision - number.scale <= DecimalType.MAX_PRECISION)
      .map(number => DecimalType(number.precision - number.scale, 0))

  private val Timestamp = """\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d)?""".r

  private def wider(a: DataType, b: DataType): DataType = (a, b) match {
    case (DoubleType, LongType | _: DecimalType) | (LongType | _: DecimalType, DoubleType) => StringType
    case _ => TypeCoercion.findWiderTypeForTwo(a, b).getOrElse(StringType)
  }
}
