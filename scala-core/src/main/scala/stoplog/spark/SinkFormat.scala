// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.DataColumns
import stoplog.commit.{OnBadRow, PartFormat}
import stoplog.format.Encoder
import stoplog.format.bulk.{BulkParts, BulkSink, PartLife, SyncedFormat, SyncedParts}
import stoplog.format.compress.Compression
import stoplog.store.SideStore

/** How a sink's rows become the bytes of its parts. Goes to the executors. */
private[spark] sealed trait SinkFormat extends Serializable {

  /** The end of the name of a part. */
  def suffix: String

  /** For one task, or one part that the driver ends. */
  def open(sides: SideStore): PartFormat[InternalRow]

  /** The same for parts that all end with their epoch. */
  def ofOneEpoch: SinkFormat

  /** Whether a part can be left open at the end of an epoch. */
  def mayStayOpen: Boolean = true
}

private[spark] object SinkFormat {

  /** Row by row, at once. */
  final case class Rows(
      encoder: Encoder,
      compression: Compression,
      columns: DataColumns,
      onBadRow: OnBadRow
  ) extends SinkFormat {
    override def suffix: String = encoder.suffix + compression.suffix

    override def open(sides: SideStore): PartFormat[InternalRow] =
      new EncoderFormat(encoder, compression, columns, onBadRow)

    override def ofOneEpoch: SinkFormat = this
  }

  /** In blocks that end with their epoch, if not before. */
  final case class Synced(format: SyncedFormat, columns: DataColumns) extends SinkFormat {
    override def suffix: String = format.suffix

    override def open(sides: SideStore): PartFormat[InternalRow] = {
      format.open(columns.schema)
      new SyncedParts(format, columns.newProjection())
    }

    override def ofOneEpoch: SinkFormat = this
  }

  /** In blocks of many rows, whatever the epochs. */
  final case class Blocks(bulk: BulkSink, columns: DataColumns, onBadRow: OnBadRow) extends SinkFormat {
    override def suffix: String       = bulk.format.suffix
    override def mayStayOpen: Boolean = bulk.format.mayKeepRows

    override def open(sides: SideStore): PartFormat[InternalRow] = {
      bulk.format.open(bulk.schema)
      new BulkParts(bulk, columns.newProjection(), sides, onBadRow)
    }

    override def ofOneEpoch: SinkFormat = copy(bulk = bulk.copy(life = PartLife.OneEpoch))
  }
}
