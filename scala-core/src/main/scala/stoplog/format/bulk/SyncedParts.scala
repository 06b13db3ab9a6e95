// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.{PartBuffer, PartEncoder, PartFormat, Unflushed}
import stoplog.part.Spooled

/** Parts of a format that ends a block with each epoch, as the commit protocol sees them. For one task.
  *
  * @param project the columns that are written
  */
final class SyncedParts(format: SyncedFormat, project: InternalRow => InternalRow)
    extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] = new SyncedBody(name, end)

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] =
    new SyncedBody(name, end)

  private final class SyncedBody(name: String, end: PartBuffer) extends PartEncoder[InternalRow] {
    private[this] var writer = Option.empty[SyncedWriter]

    override def append(row: InternalRow): Unit =
      writer.getOrElse(opened()).write(project(row))

    /** What is still buffered is counted as it is before compression, so that a limit is never passed unseen. */
    override def sizeBytes: Long = end.position + writer.fold(0L)(_.bufferedBytes)

    override def pause(): Unflushed = {
      writer.foreach(_.sync())
      Unflushed.nothing
    }

    override def finish(): Unit = {
      pause()
      ()
    }

    override def close(): Unit = {
      writer.foreach(_.close())
      writer = None
    }

    private def opened(): SyncedWriter = {
      val fresh = format.writer(new PartBlocks(end), name)
      writer = Some(fresh)
      fresh
    }
  }
}
