// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.{HashSet => JHashSet, Locale}

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}
import stoplog.error.Errors

private[stoplog] object SupportedTypes {

  /** Rejects the first column with a type that Spark's writer for the format rejects. */
  def check(format: String, schema: StructType)(supports: DataType => Boolean): Unit =
    schema.find(field => !supports(field.dataType)).foreach { field =>
      throw Errors.unsupportedType(format, field.name, field.dataType.simpleString)
    }

  /** Rejects the name of a column, or of a nested field. Error: `STOPLOG_UNSUPPORTED_COLUMN`. */
  def refuseName(format: String, name: String, why: String): Unit = throw Errors.columnName(format, name, why)

  /** Whether readers of JSON accept the keys of all maps. */
  def hasTextKeys(of: DataType): Boolean = of match {
    case struct: StructType => struct.forall(field => hasTextKeys(field.dataType))
    case array: ArrayType   => hasTextKeys(array.elementType)
    case map: MapType       => map.keyType.isInstanceOf[StringType] && hasTextKeys(map.valueType)
    case _                  => true
  }

  /** Rejects a column to which readers assign the text of lines that they cannot parse. Error:
    * `STOPLOG_UNSUPPORTED_COLUMN`.
    */
  def corruptRecords(format: String, schema: StructType, name: String): Unit = {
    val reserved = if (name.isEmpty) SQLConf.get.columnNameOfCorruptRecord else name
    if (schema.fieldNames.contains(reserved))
      throw Errors.columnName(
        format,
        reserved,
        "readers put the text of a corrupt line there: set columnNameOfCorruptRecord to another name"
      )
  }

  /** Rejects two columns, or two fields of a struct, with the same name: readers find only one of the two, or
    * reject the file. Spark's batch writers reject such names, too. Error: `STOPLOG_UNSUPPORTED_COLUMN`.
    *
    * @param caseSensitive whether names that differ only in case are different
    */
  def distinctNames(format: String, of: DataType, caseSensitive: Boolean): Unit = of match {
    case struct: StructType =>
      val names = new JHashSet[String]
      for (field <- struct.fields) {
        if (!names.add(if (caseSensitive) field.name else field.name.toLowerCase(Locale.ROOT)))
          throw Errors.columnName(format, field.name, "there is another column of this name")
        distinctNames(format, field.dataType, caseSensitive)
      }
    case array: ArrayType => distinctNames(format, array.elementType, caseSensitive)
    case map: MapType     =>
      distinctNames(format, map.keyType, caseSensitive)
      distinctNames(format, map.valueType, caseSensitive)
    case _ => ()
  }
}
