// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import stoplog.commit.{OnBadRow, PartBuffer, PartEncoder, PartFormat}
import stoplog.part.Spooled
import stoplog.storage.SpoolFiles
import stoplog.thread.SharedMemory

/** Parts of a format of blocks, as the commit protocol sees them. For one task, or for the driver.
  *
  * @param project the columns that are written
  * @param sides   where the rows of open parts are kept
  * @param onBadRow whether rows are tried before they wait for their block
  * @param memory  of the rows that wait in this process
  */
final class BulkParts(
    sink: BulkSink,
    project: InternalRow => InternalRow,
    sides: SpoolFiles,
    onBadRow: OnBadRow,
    memory: SharedMemory = SharedMemory.ofRows
) extends PartFormat[InternalRow] {
  private[this] lazy val toUnsafe = UnsafeProjection.create(sink.schema) // compiles code
  private[this] val required      = new RowChecks.Required(sink.schema)

  private[bulk] val written: Written = Written(sink.format, sink.schema, sink.description)
  private[bulk] val turn: BlockTurn  = new BlockTurn

  private[bulk] val checks: RowChecks = onBadRow match {
    case OnBadRow.Fail   => RowChecks.Omitted
    case OnBadRow.Reject => new RowChecks.Each(sink.format)
  }

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    (sink.life, onBadRow) match {
      case (PartLife.OneEpoch, OnBadRow.Fail) => new DirectBody(end, this)
      // A block that refuses a row is lost, so the rows have to be kept until it is written.
      case _ => new BulkPartEncoder(end, None, this)
    }

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] =
    new BulkPartEncoder(end, Some(new EarlierRows(beside, sides)), this)

  /** Throws [[stoplog.commit.BadRow]]. */
  private[bulk] def unsafe(row: InternalRow): UnsafeRow = {
    val projected = project(row)
    required.check(projected)
    projected match {
      case unsafe: UnsafeRow => unsafe
      case other             => toUnsafe(other)
    }
  }

  /** The format in which a part was begun, which another run may have set otherwise. */
  private[bulk] def writtenAs(description: String): Written =
    if (description == written.description) written
    else {
      val other = BulkSink.of(description, sink.running)
      Written(other.format, other.schema, description)
    }

  private[bulk] def spool(): Spool = new Spool(written.schema.length, memory)
}
