// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.{
  ArrayType, CalendarIntervalType, DataType, MapType, NullType, StructType, UserDefinedType, VariantType
}

import stoplog.error.Errors
import stoplog.util.ColumnNames

/** The columns of `partitionBy`, resolved in the rows' schema.
  *
  * @param schema   the schema of the rows from Spark
  * @param ordinals the indices of the partition columns, in the order of the directories
  */
private[stoplog] final case class PartitionColumns private (schema: StructType, ordinals: IndexedSeq[Int]) {

  def names: IndexedSeq[String] = ordinals.map(schema.fieldNames(_))
}

private[stoplog] object PartitionColumns {

  /** Resolves the columns of `partitionBy`.
    *
    * @param names as written by the user; case matters only if names in the schema differ in case only
    * @throws stoplog.error.StoplogArgumentException `STOPLOG_OPTION_COLUMN` for an unknown or repeated
    *   name, for a column of a non-atomic type, or if no column remains for the files
    */
  def of(schema: StructType, names: Seq[String]): PartitionColumns = {
    def refused(why: String) = throw Errors.partitionColumns(why)
    if (names.isEmpty) refused("there are none")
    val ordinals = names.map(ColumnNames.find(schema.fieldNames, _).fold(refused, identity)).toIndexedSeq
    ordinals.diff(ordinals.distinct).headOption.foreach(i => refused(s"'${schema(i).name}' is named twice"))
    ordinals.map(schema(_)).find(f => !isOneValue(f.dataType)).foreach { f =>
      refused(s"'${f.name}' is of type ${f.dataType.simpleString}, which is not a single value")
    }
    ordinals.map(schema(_).name).find(_.startsWith(".")).foreach { name =>
      refused(s"readers skip a directory called '$name=…'")
    }
    if (ordinals.size == schema.size) refused("no column remains for the files")
    PartitionColumns(schema, ordinals)
  }

  private def isOneValue(dataType: DataType): Boolean = dataType match {
    case _: StructType | _: ArrayType | _: MapType | _: UserDefinedType[_] => false
    case NullType | CalendarIntervalType | VariantType                     => false
    case _                                                                 => true
  }
}

/** The columns in the files: all columns except those whose values are in the directory names.
  *
  * @param schema   the schema of the written columns
  * @param ordinals the indices of the written columns in the rows, which have `width` columns; the index
  *                 `width` is a column that the rows do not have, and that is null
  */
private[stoplog] final case class DataColumns private (
    schema: StructType,
    ordinals: IndexedSeq[Int],
    width: Int
) {

  /** Returns the same columns in the order and with the nullability of another schema.
    *
    * @param wanted columns with the same names, and nullable columns that the rows do not have
    */
  def arranged(wanted: StructType): DataColumns =
    if (wanted == schema) this
    else {
      val known = schema.fieldNames.zip(ordinals).toMap
      DataColumns(wanted, wanted.fieldNames.toIndexedSeq.map(known.getOrElse(_, width)), width)
    }

  /** Returns whether the written columns are those of the rows, in order. */
  def areAll: Boolean = ordinals == (0 until width)

  /** Returns the projection from a row to the written columns, for a single task. The result is the row
    * itself or a reused view.
    */
  def newProjection(): InternalRow => InternalRow =
    if (areAll) identity
    else {
      val view = ProjectingInternalRow(schema, ordinals)
      val all  = withNull
      row => {
        view.project(all(row))
        view
      }
    }

  /** Returns rows with a null after their last column, if a written column is not in the rows. */
  private def withNull: InternalRow => InternalRow =
    if (!ordinals.contains(width)) identity
    else {
      val joined = new JoinedRow().withRight(new GenericInternalRow(1))
      joined.withLeft(_)
    }
}

private[stoplog] object DataColumns {

  /** Returns all columns of the rows. */
  def all(schema: StructType): DataColumns = DataColumns(schema, schema.indices, schema.length)

  /** Returns all columns except the partition columns. */
  def without(columns: PartitionColumns): DataColumns = without(columns.schema, columns.ordinals)

  /** Returns all columns except the columns at these indices. */
  def without(schema: StructType, leftOut: Seq[Int]): DataColumns = {
    val ordinals = schema.indices.filterNot(leftOut.contains)
    DataColumns(StructType(ordinals.map(schema(_))), ordinals, schema.length)
  }
}
