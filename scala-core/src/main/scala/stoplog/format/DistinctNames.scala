// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.util.Locale

import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType}

import stoplog.error.Errors

/** Columns, and fields of a struct, have names of their own: of two with one name, readers find one, or refuse the file.
  * Spark's own batch writers refuse them as well.
  */
private[stoplog] object DistinctNames {

  /** Error: `STOPLOG_COLUMN_NAME`.
    *
    * @param caseSensitive whether names that differ in nothing but their case are two
    */
  def check(format: String, schema: StructType, caseSensitive: Boolean): Unit = {
    def key(name: String): String = if (caseSensitive) name else name.toLowerCase(Locale.ROOT)

    def repeated(fields: StructType): Option[String] =
      fields.fieldNames.groupBy(key).values.find(_.length > 1).map(_.last)

    def within(kind: DataType): Option[String] = kind match {
      case struct: StructType       => repeated(struct).orElse(first(struct.map(_.dataType)))
      case ArrayType(element, _)    => within(element)
      case MapType(keys, values, _) => first(Seq(keys, values))
      case _                        => None
    }

    def first(kinds: Seq[DataType]): Option[String] = kinds.flatMap(within).headOption

    within(schema).foreach { name =>
      throw Errors.columnName(format, name, "there is another one of that name beside it")
    }
  }
}
