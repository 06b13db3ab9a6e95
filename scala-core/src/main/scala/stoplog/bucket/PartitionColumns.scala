// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.types.{
  ArrayType, CalendarIntervalType, DataType, MapType, NullType, StructType, UserDefinedType, VariantType
}
import stoplog.error.Errors

/** The columns of `partitionBy`, found in the rows' schema.
  *
  * @param schema
  *   of the rows as Spark gives them
  * @param ordinals
  *   of the partition columns, in the order of the directories
  */
final case class PartitionColumns private (schema: StructType, ordinals: IndexedSeq[Int]) {

  def names: IndexedSeq[String] = ordinals.map(schema.fieldNames(_))
}

object PartitionColumns {

  /** @param names
    *   as the user wrote them; the case counts only where the schema has names that differ in nothing else
    * @throws stoplog.error.StoplogArgumentException
    *   `STOPLOG_PARTITION_COLUMNS` if one is unknown, named twice or of a type that is no single value, or if
    *   no column is left to be written
    */
  def of(schema: StructType, names: Seq[String]): PartitionColumns = {
    def refused(why: String) = throw Errors.partitionColumns(why)
    if (names.isEmpty) refused("there are none")
    val ordinals = names.map(ColumnLookup.ordinal(schema, _).fold(refused, identity)).toIndexedSeq
    ordinals.diff(ordinals.distinct).headOption.foreach(i => refused(s"'${schema(i).name}' is named twice"))
    ordinals.map(schema(_)).find(f => !isOneValue(f.dataType)).foreach { f =>
      refused(s"'${f.name}' is of type ${f.dataType.simpleString}, which is not a single value")
    }
    ordinals.map(schema(_).name).find(_.startsWith(".")).foreach { name =>
      refused(s"readers do not look into a directory called '$name=…'")
    }
    if (ordinals.size == schema.size) refused("they are all the columns there are")
    PartitionColumns(schema, ordinals)
  }

  private def isOneValue(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] => false
    case NullType | CalendarIntervalType | VariantType                     => false
    case _                                                                 => true
  }
}
