// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import scala.jdk.CollectionConverters._

import org.apache.parquet.schema.{GroupType, Type}

/** The layouts of nested columns in Parquet files. */
private[stoplog] object ParquetGroups {

  def fieldsOf(group: GroupType): Vector[Type] = group.getFields.asScala.toVector

  /** Returns the element of a list, also of lists in Parquet's older layouts. */
  def elementOf(list: GroupType): Type = {
    val repeated = list.getType(0)
    if (repeated.isPrimitive || repeated.asGroupType.getFieldCount > 1 || repeated.getName == "array")
      repeated
    else repeated.asGroupType.getType(0)
  }

  /** Returns the key and the value of a map. */
  def entryOf(map: GroupType): (Type, Type) = {
    val entry = map.getType(0).asGroupType
    (entry.getType(0), entry.getType(1))
  }
}
