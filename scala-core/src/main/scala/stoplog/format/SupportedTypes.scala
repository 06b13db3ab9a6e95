// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.{HashSet => JHashSet, Locale}

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}
import stoplog.error.Errors

private[stoplog] object SupportedTypes {

  /** Rejects the first column with a type that Spark's writer for the format rejects. */
  def check(format: String, schema: StructType)(supports: DataType => Boolean): Unit =
    schema.find(field => !supports(field.dataType)).foreach { field =>
      throw Errors.unsupportedType(format, field.name, field.dataType.simpleString)
    }

  /** Rejects two columns, or two fields of a struct, with the same name: readers find only one of the two, or
    * reject the file. Spark's batch writers reject such names, too. Error: `STOPLOG_COLUMN_NAME`.
    *
    * @param caseSensitive whether names that differ only in case are different
    */
  def distinctNames(format: String, of: DataType, caseSensitive: Boolean): Unit = of match {
    case struct: StructType =>
      val names = new JHashSet[String]
      for (field <- struct.fields) {
        if (!names.add(if (caseSensitive) field.name else field.name.toLowerCase(Locale.ROOT)))
          throw Errors.columnName(format, field.name, "there is another one of that name beside it")
        distinctNames(format, field.dataType, caseSensitive)
      }
    case array: ArrayType => distinctNames(format, array.elementType, caseSensitive)
    case map: MapType     =>
      distinctNames(format, map.keyType, caseSensitive)
      distinctNames(format, map.valueType, caseSensitive)
    case _ => ()
  }
}
