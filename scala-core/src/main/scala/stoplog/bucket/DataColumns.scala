package stoplog.bucket

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.StructType

/** The columns that are written into the files: all but those of `partitionBy`, which the directories' names
  * tell.
  */
sealed abstract class DataColumns extends Serializable {

  /** What the encoder is opened with. */
  def schema: StructType

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
}
