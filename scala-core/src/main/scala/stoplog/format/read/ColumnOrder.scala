// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.StructType

/** Rows with their columns in another order, or only some of them, found by their names. */
private[read] final class ColumnOrder(from: StructType, wanted: StructType) {
  private val ordinals = wanted.fieldNames.map(from.fieldIndex).toIndexedSeq
  private val isSame   = ordinals == from.indices

  /** A view of the row; the row itself where nothing changes. */
  def apply(row: InternalRow): InternalRow =
    if (isSame) row
    else {
      val view = ProjectingInternalRow(wanted, ordinals)
      view.project(row)
      view
    }
}
