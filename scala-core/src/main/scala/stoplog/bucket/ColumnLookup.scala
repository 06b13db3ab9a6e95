// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.types.StructType

private[bucket] object ColumnLookup {

  /** The place of a top-level column: of the one with exactly this name, or else of the only one that differs
    * in case alone; or why there is none.
    */
  def ordinal(schema: StructType, name: String): Either[String, Int] =
    schema.fieldNames.indexWhere(_ == name) match {
      case -1    => ignoringCase(schema, name)
      case exact => Right(exact)
    }

  private def ignoringCase(schema: StructType, name: String): Either[String, Int] =
    schema.fieldNames.indices.filter(schema.fieldNames(_).equalsIgnoreCase(name)) match {
      case Seq(one) => Right(one)
      case Seq()    => Left(s"there is no column '$name' among ${schema.fieldNames.mkString(", ")}")
      case _        => Left(s"there are several columns called '$name' in different cases")
    }
}
