// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.time.LocalDate

import scala.util.Try

import io.delta.kernel.expressions.Literal
import io.delta.kernel.types._
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.announce.table.{DirectoryKeys, Refusal}

/** The partition of a file: the values of its directories.
  *
  * @param columns     the partition columns of the table
  * @param derivedKeys keys of directories that need no column
  */
private[delta] final class PartitionValues(columns: Vector[StructField], derivedKeys: Set[String]) {

  /** Throws [[Refusal]] if a directory lacks a value, or if readers would lose a value of a directory.
    *
    * @param file the columns of the file
    */
  def of(bucket: String, file: StructType): Map[String, Literal] = {
    val keys    = DirectoryKeys.of(bucket)
    val missing = columns.map(_.getName).filterNot(keys.contains)
    if (missing.nonEmpty)
      throw new Refusal(
        s"the directory '$bucket' has no value for the partition columns ${missing.mkString(", ")} of the table. Set partitionBy " +
          s"of the sink to ${columns.map(_.getName).mkString(", ")}"
      )
    val double = columns.map(_.getName).filter(name => file.indexOf(name) >= 0)
    if (double.nonEmpty)
      throw new Refusal(
        s"the columns ${double.mkString(", ")} are in the files and in the directory '$bucket': Delta " +
          "reads partition columns only from the log. Rename the column, or the key of the directory"
      )
    DirectoryKeys.refuseLost(keys, columns.map(_.getName).toSet ++ derivedKeys ++ namesOf(file), bucket)
    columns.map(column => column.getName -> value(column, keys(column.getName), bucket)).toMap
  }

  private def namesOf(file: StructType): Set[String] = file.fieldNames.toArray(Array.empty[String]).toSet

  private def value(column: StructField, escaped: String, bucket: String): Literal = {
    val text = ExternalCatalogUtils.unescapePathName(escaped)
    if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME || text.isEmpty)
      Literal.ofNull(column.getDataType)
    else
      parsed(column.getDataType, text).getOrElse(
        throw new Refusal(
          s"the directory '$bucket' has no ${column.getDataType} for the column ${column.getName}. Use a partition column of " +
            "the type string, or of the type of the values"
        )
      )
  }

  private def parsed(kind: DataType, text: String): Option[Literal] = kind match {
    case _: StringType  => Some(Literal.ofString(text))
    case _: BooleanType => text.toBooleanOption.map(Literal.ofBoolean)
    case _: ByteType    => text.toByteOption.map(Literal.ofByte)
    case _: ShortType   => text.toShortOption.map(Literal.ofShort)
    case _: IntegerType => text.toIntOption.map(Literal.ofInt)
    case _: LongType    => text.toLongOption.map(Literal.ofLong)
    case _: DateType    => Try(Literal.ofDate(LocalDate.parse(text).toEpochDay.toInt)).toOption
    case _              => None
  }
}
