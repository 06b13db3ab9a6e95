// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.rows

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.jdbc.types.{ColumnType, Inexact, ValueRule}

/** Converts Spark's rows to JDBC values.
  *
  * @param readers     creates the readers of the columns, which are not serializable
  * @param columns     the types of the columns
  * @param keepsOrigin true if rejected rows need their original rows
  */
private[jdbc] final class RowValues(
    readers: () => Vector[ValueRule.Reader],
    columns: Vector[ColumnType],
    keepsOrigin: Boolean
) {
  private[this] val read  = readers().toArray
  private[this] val nulls = columns.map(ValueRule.nullProblem).toArray

  /** Returns a row with its own copies of the values. */
  def of(row: InternalRow): JdbcRow = {
    val values = new Array[Any](read.length)
    var fault  = Option.empty[ValueFault]
    var i      = 0
    while (i < values.length) {
      if (row.isNullAt(i)) nulls(i).foreach(why => if (fault.isEmpty) fault = Some(ValueFault(i, why)))
      else
        try values(i) = read(i)(row, i)
        catch { case e: Inexact => if (fault.isEmpty) fault = Some(ValueFault(i, e.why)) }
      i += 1
    }
    new JdbcRow(values, if (keepsOrigin) row.copy() else null, earlier = None, fault)
  }
}
