// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.ExprUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import stoplog.format.read.SourceFormatName

/** The columns that a user says files have, as Spark's own file sources take them. */
private[spark] object UserColumns {

  /** Any of them may be null, at any depth: no file is held to `NOT NULL`, and whoever believed it would read a value
    * that is missing as `0`, or as that of the row before.
    *
    * Errors, which are Spark's: `COLUMN_ALREADY_EXISTS`, and `INVALID_JSON_SCHEMA_MAP_TYPE`.
    */
  def checked(columns: StructType, format: SourceFormatName): StructType = {
    refuseTwins(columns)
    if (isJson(format)) checkJson(columns)
    nullable(columns).asInstanceOf[StructType]
  }

  private def refuseTwins(of: DataType): Unit = of match {
    case struct: StructType =>
      val names = struct.fieldNames.map(folded)
      names.diff(names.distinct).headOption.foreach { twin =>
        throw new AnalysisException("COLUMN_ALREADY_EXISTS", Map("columnName" -> s"`$twin`"))
      }
      struct.foreach(field => refuseTwins(field.dataType))
    case array: ArrayType => refuseTwins(array.elementType)
    case map: MapType     =>
      refuseTwins(map.keyType)
      refuseTwins(map.valueType)
    case _ => ()
  }

  private def folded(name: String): String =
    if (SQLConf.get.caseSensitiveAnalysis) name else name.toLowerCase(Locale.ROOT)

  private def isJson(format: SourceFormatName): Boolean = format match {
    case SourceFormatName.Json | SourceFormatName.MultiLineJson => true
    case _                                                      => false
  }

  private def checkJson(columns: StructType): Unit =
    if (ExprUtils.checkJsonSchema(columns).isFailure)
      throw new AnalysisException(
        "INVALID_JSON_SCHEMA_MAP_TYPE",
        Map("jsonSchema" -> columns.sql)
      )

  private def nullable(of: DataType): DataType = of match {
    case struct: StructType =>
      StructType(struct.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))
    case array: ArrayType => ArrayType(nullable(array.elementType), containsNull = true)
    case map: MapType     => MapType(nullable(map.keyType), nullable(map.valueType), valueContainsNull = true)
    case other            => other
  }
}
