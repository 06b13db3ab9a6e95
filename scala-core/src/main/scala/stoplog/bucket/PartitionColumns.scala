// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.{
  ArrayType, CalendarIntervalType, DataType, MapType, NullType, StructType, UserDefinedType, VariantType
}

import stoplog.error.Errors

/** The columns of `partitionBy`, found in the rows' schema.
  *
  * @param schema   of the rows as Spark gives them
  * @param ordinals of the partition columns, in the order of the directories
  */
private[stoplog] final case class PartitionColumns private (schema: StructType, ordinals: IndexedSeq[Int]) {

  def names: IndexedSeq[String] = ordinals.map(schema.fieldNames(_))
}

private[stoplog] object PartitionColumns {

  /** @param names as the user wrote them; the case counts only where the schema has names that differ in nothing else
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_PARTITION_COLUMNS` if one is unknown, named twice or of a
    *   type that is no single value, or if no column is left to be written
    */
  def of(schema: StructType, names: Seq[String]): PartitionColumns = {
    def refused(why: String) = throw Errors.partitionColumns(why)
    if (names.isEmpty) refused("there are none")
    val ordinals = names.map(ColumnTimes.ColumnLookup.ordinal(schema, _).fold(refused, identity)).toIndexedSeq
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

/** The columns that are written into the files: all but those of `partitionBy`, which the directories' names tell.
  *
  * @param schema   of the written columns
  * @param ordinals of these columns in the rows, which have `width` columns
  */
private[stoplog] final case class DataColumns private (
    schema: StructType,
    ordinals: IndexedSeq[Int],
    width: Int
) {

  /** The same columns as others want them: in this order, or allowed to be null.
    *
    * @param wanted columns of the same names
    */
  def arranged(wanted: StructType): DataColumns =
    if (wanted == schema) this
    else DataColumns(wanted, wanted.fieldNames.toIndexedSeq.map(schema.fieldIndex).map(ordinals), width)

  /** The part of a row that is written, for one task: the row itself, or one reused view of it. */
  def newProjection(): InternalRow => InternalRow =
    if (ordinals == (0 until width)) identity
    else {
      val view = ProjectingInternalRow(schema, ordinals)
      row => {
        view.project(row)
        view
      }
    }
}

private[stoplog] object DataColumns {

  /** All columns of the rows. */
  def all(schema: StructType): DataColumns = DataColumns(schema, schema.indices, schema.length)

  /** All but the partition columns. */
  def without(columns: PartitionColumns): DataColumns = {
    val ordinals = columns.schema.indices.filterNot(columns.ordinals.contains)
    DataColumns(StructType(ordinals.map(columns.schema(_))), ordinals, columns.schema.length)
  }
}
