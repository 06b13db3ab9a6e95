// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.StructType

/** The columns that are written into the files: all but those of `partitionBy`, which the directories' names
  * tell.
  */
sealed abstract class DataColumns extends Serializable {

  /** The schema for the encoder. */
  def schema: StructType

  /** The same columns as others want them: in this order, or allowed to be null.
    *
    * @param wanted columns of the same names
    */
  final def arranged(wanted: StructType): DataColumns =
    if (wanted == schema) this else DataColumns.Arranged(wanted, this)

  /** For one task: the part of a row that is written. The answer is one reused object, or the row itself. */
  def newProjection(): InternalRow => InternalRow
}

object DataColumns {

  /** All columns of the rows. */
  final case class All(schema: StructType) extends DataColumns {
    override def newProjection(): InternalRow => InternalRow = identity
  }

  /** All but the partition columns. A view of the row: nothing is copied. */
  final case class Without(columns: PartitionColumns) extends DataColumns {

    private val ordinals: IndexedSeq[Int] = columns.schema.indices.filterNot(columns.ordinals.contains)

    override val schema: StructType = StructType(ordinals.map(columns.schema(_)))

    override def newProjection(): InternalRow => InternalRow = {
      val view = ProjectingInternalRow(schema, ordinals)
      row => {
        view.project(row)
        view
      }
    }
  }

  /** The same in another order, or allowed to be null. */
  final case class Arranged(schema: StructType, from: DataColumns) extends DataColumns {
    private val ordinals: IndexedSeq[Int] = schema.fieldNames.toIndexedSeq.map(from.schema.fieldIndex)

    override def newProjection(): InternalRow => InternalRow =
      if (ordinals == ordinals.indices) from.newProjection()
      else {
        val before = from.newProjection()
        val view   = ProjectingInternalRow(schema, ordinals)
        row => {
          view.project(before(row))
          view
        }
      }
  }
}
