// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import stoplog.part.Spooled
import stoplog.storage.SpoolFiles
import stoplog.thread.SharedMemory
import stoplog.writing.{OnBadRow, PartBuffer, PartEncoder, PartFormat}

/** Parts of a block format, as seen by the commit protocol. For one task, or for the driver.
  *
  * @param project      the written columns
  * @param spoolFiles   the spool files of open parts
  * @param onBadRow     whether rows are encoded for a test before they wait for their block
  * @param memory       for the rows that wait in this process
  * @param mostInBlocks the limit in bytes for all open blocks of the task, if each part has a block; by
  *                     default derived from the heap
  * @param heapBytes    the memory of the process, which limits the size of a row
  */
private[stoplog] final class BulkParts(
    private[bulk] val sink: BulkSink,
    project: InternalRow => InternalRow,
    spoolFiles: SpoolFiles,
    onBadRow: OnBadRow,
    memory: SharedMemory = SharedMemory.ofRows,
    mostInBlocks: Option[Long] = None,
    heapBytes: Long = Runtime.getRuntime.maxMemory
) extends PartFormat[InternalRow] {
  private[this] lazy val toUnsafe = UnsafeProjection.create(sink.schema) // compiles code
  private[this] val required      = new RowChecks.Required(sink.schema)

  private[this] var filling = Option.empty[BulkPartEncoder]
  private[this] val live    = mutable.Set.empty[BulkPartEncoder] // accept rows

  private[this] lazy val mostBytes = mostInBlocks.getOrElse(BulkParts.mostInBlocks(sink.format))

  private[this] var inBlocks = 0L
  private[this] var counted  = Set.empty[OneEpochEncoder]

  private[bulk] val checks: RowChecks = onBadRow match {
    case OnBadRow.Fail   => RowChecks.OfValues
    case OnBadRow.Reject => new RowChecks.Each(sink.format)
  }

  /** A rejected row destroys its block. To continue without the row, the task must keep all other rows. */
  private[bulk] val mayLetGoOfRows: Boolean = onBadRow == OnBadRow.Fail

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    (sink.life, onBadRow) match {
      case (PartLife.OneEpoch, OnBadRow.Fail) => new OneEpochEncoder(end, this)
      // A rejected row destroys its block, so the rows must be kept until the block is written.
      case _ => begun(end, None)
    }

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[InternalRow] =
    begun(end, Some(new EarlierRows(spooled, spoolFiles)))

  override def close(): Unit = checks.close()

  /** Returns the row as every encoder gets it. Throws [[stoplog.writing.BadRow]] for a row that no encoder
    * can write.
    */
  private[bulk] def unsafe(row: InternalRow): UnsafeRow = {
    refuseLarge(row)
    val projected = project(row)
    required.check(projected)
    val unsafe = projected match {
      case unsafe: UnsafeRow => unsafe
      case other             => toUnsafe(other)
    }
    Spool.encodable(unsafe, heapBytes)
  }

  /** Refuses a row before the projection is copied. */
  private def refuseLarge(row: InternalRow): Unit = row match {
    case unsafe: UnsafeRow => Spool.encodable(unsafe, heapBytes): Unit
    case _                 => ()
  }

  /** Returns the sink with which a part was started. Another run may have used other settings. */
  private[bulk] def begunAs(description: String): BulkSink =
    if (description == sink.description) sink else BulkSink.of(description, sink.running)

  private[bulk] def spool(): Spool = new Spool(sink.schema.length, memory)

  /** Whether the task has at most one part. */
  private[bulk] def isOnly: Boolean = live.size == 1

  /** Called when a part is finished or closed in this task; may be called again. */
  private[bulk] def ended(part: BulkPartEncoder): Unit = live -= part

  /** Whether this part can fill a block without taking a block away from another part. */
  private[bulk] def mayFill(part: BulkPartEncoder): Boolean = !filling.exists(p => (p ne part) && p.isFilling)

  /** Takes the block away from any other part. Only one part of a task may fill a block at a time, because
    * the memory for a block grows with its size.
    */
  private[bulk] def fill(part: BulkPartEncoder): Unit = {
    filling.filter(_ ne part).foreach(_.giveUpBlock())
    filling = Some(part)
  }

  /** Called when the size of an open block has changed. If the open blocks of the task exceed the limit, ends
    * the largest block early. The part of this block then gets one more block.
    */
  private[bulk] def counts(part: OneEpochEncoder, before: Long, now: Long): Unit = {
    inBlocks += now - before
    if (now == 0) counted -= part else counted += part
    while (inBlocks > mostBytes && counted.nonEmpty) counted.maxBy(_.blockBytes).endBlock()
  }

  private def begun(end: PartBuffer, earlier: Option[EarlierRows]): BulkPartEncoder = {
    val part = new BulkPartEncoder(end, earlier, this)
    live += part
    part
  }
}

private[stoplog] object BulkParts {

  /** Returns a task's share of a quarter of the heap, or one full block if this is more. One block is the
    * memory for filling parts one after another. If a format writes each part as one block, there is no
    * limit: such a block cannot end early.
    */
  private def mostInBlocks(format: BlockFormat): Long = {
    val runtime = Runtime.getRuntime
    format.blockBytes.max(runtime.maxMemory / HeapShare / runtime.availableProcessors)
  }

  private final val HeapShare = 4L
}

/** Writes the ends of parts with spooled rows, each in the format with which the part was started, regardless
  * of the current settings. Used by the driver, which starts no parts.
  *
  * @param running the name of the query for its user-defined bulk format, if any
  */
private[stoplog] final class EndingParts(spoolFiles: SpoolFiles, running: Option[String])
    extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    throw new UnsupportedOperationException(s"$name cannot be started by the driver, which only ends parts")

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[InternalRow] = {
    val begunAs = BulkSink.of(new EarlierRows(spooled, spoolFiles).header.format, running)
    new BulkParts(begunAs, identity, spoolFiles, OnBadRow.Fail).resume(name, end, spooled)
  }
}
