// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.thread.Outcomes
import stoplog.writing.{BadRow, PartBuffer, PartEncoder, Unflushed}

/** The rows of one part of a block format, as a machine of three states.
  *
  * A part starts in state `Waiting`: rows wait until they fill a block ([[BlockSizing]]). If the rows do not
  * fill the block completely, the state is `Filling`: the next rows are written to the block, and wait as
  * well. If the rows of this epoch make the block large ([[BlockFormat.largeBytes]]), the state is `Direct`:
  * only the block contains the rows, and the block ends with the epoch. Each end of a block leads back to
  * `Waiting`. Rows still waiting at the end of an epoch are written to a spool file. The size of blocks is
  * therefore independent of epochs, as long as epochs are small.
  *
  * After a large epoch, a part changes to `Direct` after the first few rows. In the first epoch of a part
  * without other parts in the task, the change happens at a quarter of a large block. If such an epoch turns
  * out to be small, its block is small, and the next epoch is treated as small.
  *
  * A part holds rows, but no writer. At most one part of a task has a block that is being filled, until the
  * epoch ends.
  *
  * @param earlier the rows that earlier epochs left; none for a new part
  */
private[bulk] final class BulkPartEncoder(end: PartBuffer, earlier: Option[EarlierRows], parts: BulkParts)
    extends PartEncoder[InternalRow] {
  import PartState._

  private[this] val rows                 = new UnencodedRows(earlier, parts)
  private[this] var state: PartState     = Waiting
  private[this] var sizing               = BlockSizing.of(parts.sink.blockSizes, earlier.map(_.rawBytes))
  private[this] var thisEpoch: LastEpoch = LastEpoch.Small

  // Read lazily, because most epochs do not need the header.
  private[this] lazy val sink  = earlier.fold(parts.sink)(rows => parts.begunAs(rows.header.format))
  private[this] val limits     = new PartLimits(parts.sink.anyLimits, sink.limits)
  private[this] lazy val chain =
    new BlockChain(sink, earlier.fold(Array.emptyByteArray)(_.header.directory), end)

  override def append(row: InternalRow): Unit = {
    val unsafe = parts.unsafe(row)
    state match {
      case Direct(block) =>
        into(block, unsafe)
        if (block.isFull) endWithAll(block)
      case Filling(block) =>
        into(block, unsafe)
        rows.append(unsafe)
        if (block.isFull) endWithAll(block) else letGoIfLarge(block)
      case Waiting =>
        parts.checks.beforeWaiting(unsafe, limits)
        rows.append(unsafe)
        if (isEnough) fill() else if (sizing.isLikelyLarge(rows.freshBytes)) fillIfLikely()
    }
  }

  /** Whether this part has an open block that is too small to end here. */
  private[bulk] def isFilling: Boolean = state.isFilling

  override def sizeBytes: Long = {
    val unwritten = state match {
      case Waiting | Filling(_) => rows.bytes
      case Direct(block)        => block.rawBytes
    }
    end.position + (unwritten * sizing.ratios.storage).toLong
  }

  /** Ends a block that is nearly full, or is large by the rows of this epoch alone. Any other block is ended
    * by [[finish]] if the part ends, and else given up.
    */
  override def pause(): Unflushed = {
    state match {
      case Waiting        => ()
      case Direct(block)  => endWithAll(block)
      case Filling(block) =>
        block.measure()
        if (block.isNearlyFull || block.isLarge) endWithAll(block) else chain.learn(block, sizing.ratios)
    }
    val unwritten = rows.bytes
    val spooled   = rows.unflushed(chain.header(thisEpoch))
    Unflushed(note = unwritten.toString, spooled, (unwritten * sizing.ratios.storage).toLong)
  }

  override def finish(): Unit = {
    state match {
      case Direct(block)  => endWithAll(block)
      case Filling(block) => endWithAll(block)
      case Waiting        =>
        val waiting = rows.all(sink.schema)
        try
          while (waiting.hasNext) {
            parts.fill(this)
            chain.finish(chain.filled(waiting, rows.olderBytes))
          }
        finally waiting.close()
        rows.clear()
    }
    chain.close()
    parts.ended(this)
  }

  override def close(): Unit = {
    val last = state
    state = Waiting
    Outcomes.each(() => last.close(), () => rows.close(), () => parts.ended(this))
  }

  /** Releases the memory of the block for another part. Ends the block if no rows wait, or if the epoch would
    * end the block anyway: a refill would only take the memory back from the other part. Otherwise the rows
    * are still here, and the block is given up.
    */
  private[bulk] def giveUpBlock(): Unit = {
    state match {
      case Waiting        => ()
      case Direct(block)  => endWithAll(block)
      case Filling(block) =>
        block.measure()
        if (block.isLarge) endWithAll(block)
        else {
          chain.learn(block, sizing.ratios)
          block.close()
        }
    }
    state = Waiting
    postpone()
  }

  /** Gives up the block if the block rejects a row: only the waiting rows are known to be complete. If no
    * rows wait, the block stays open, and cannot be finished.
    */
  private def into(block: OpenBlock, row: UnsafeRow): Unit = {
    parts.checks.beforeBlock(row)
    try block.write(row, row.getSizeInBytes)
    catch {
      case e: Throwable =>
        block.close()
        state = state.afterRejection
        parts.checks.refused()
        BadRow.unless(throw e)
    }
  }

  /** From here on only the block holds the rows. A row rejected by the block fails the task anyway. */
  private def letGoIfLarge(block: OpenBlock): Unit =
    if (parts.mayLetGoOfRows && block.isLarge) letGo(block)

  private def letGo(block: OpenBlock): Unit = {
    rows.clear()
    state = Direct(block)
  }

  private def isEnough: Boolean = sizing.isEnough(rows.bytes, rows.freshBytes)

  @scala.annotation.tailrec
  private def fill(): Unit = {
    val sizes = sink.blockSizes
    if (sizes.isUnknown && rows.bytes < sizes.blockRawBytes) {
      sink.probe(rows.ofThisEpoch)
      if (sink.blockSizes.isUnknown) postpone() else update()
    } else {
      fillOne()
      update()
    }
    if (state == Waiting && isEnough) fill()
  }

  /** Called at most once per epoch, and only if the previous epoch left no rows. The header records whether
    * the previous epoch was large. A new part has no such record, and makes at most one small block.
    */
  private def fillIfLikely(): Unit = {
    sizing = sizing.likelyChecked
    val expected = earlier.fold(parts.isOnly)(_.header.last == LastEpoch.Large)
    if (expected && parts.mayLetGoOfRows && parts.mayFill(this)) {
      if (sink.blockSizes.isUnknown) sink.probe(rows.ofThisEpoch)
      fillOne()
      update()
      state match {
        case Filling(block)      => letGo(block)
        case Direct(_) | Waiting => ()
      }
    }
  }

  private def fillOne(): Unit = {
    val waiting = rows.all(sink.schema)
    try {
      parts.fill(this)
      val block = chain.filled(waiting, rows.olderBytes)
      if (block.isFull) {
        finish(block)
        rows.clearExcept(waiting)
      } else {
        state = Filling(block)
        letGoIfLarge(block)
      }
    } finally waiting.close()
  }

  private def finish(block: OpenBlock): Unit = {
    chain.finish(block)
    if (block.isLarge) thisEpoch = LastEpoch.Large
  }

  private def endWithAll(block: OpenBlock): Unit = {
    finish(block)
    state = Waiting
    rows.clear()
    update()
  }

  private def update(): Unit = sizing = sizing.updated(sink.blockSizes)

  private def postpone(): Unit = sizing = sizing.postponed(sink.blockSizes, rows.bytes, rows.freshBytes)
}
