// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, BoundReference, Expression, Literal, UnsafeProjection
}
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

/** Converts the rows of a stream to rows of a catalog table, as Spark does for batch writes: pads values of
  * `CHAR(n)`, rejects longer values of `CHAR(n)` and `VARCHAR(n)`, and adds the defaults of missing columns.
  *
  * @param expressions the columns of the table's rows; empty for unchanged rows
  */
private[spark] final class TableRows private (expressions: Seq[Expression]) extends Serializable {

  def areUnchanged: Boolean = expressions.isEmpty

  /** Returns the conversion for one task. Its result is reused. Throws Spark's `EXCEED_LIMIT_LENGTH`. */
  def newProjection(): InternalRow => InternalRow =
    if (areUnchanged) identity
    else {
      val projection = UnsafeProjection.create(expressions)
      projection(_)
    }
}

private[spark] object TableRows {

  /** Rows stay as they are. */
  val Unchanged: TableRows = new TableRows(Nil)

  /** @param columns  the columns of the table's rows: first those of the query, then those with a default
    * @param defaults the values of the columns that are missing in the query
    */
  def of(columns: StructType, defaults: Seq[Literal]): TableRows = {
    val ofQuery: Seq[Expression] = columns.dropRight(defaults.length).zipWithIndex.map { case (column, i) =>
      BoundReference(i, column.dataType, nullable = true)
    }
    val values = columns.zip(ofQuery ++ defaults).map { case (column, value) => fitted(column, value) }
    if (values.forall(_.isInstanceOf[BoundReference])) Unchanged else new TableRows(values)
  }

  private def fitted(column: StructField, value: Expression): Expression =
    if (SQLConf.get.charVarcharAsString) value
    else
      CharVarcharUtils.stringLengthCheck(
        value,
        AttributeReference(column.name, column.dataType, nullable = true, column.metadata)()
      )
}
