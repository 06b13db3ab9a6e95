// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.thread.Outcomes
import stoplog.writing.{BadRow, PartBuffer, PartEncoder, Unflushed, UnflushedRows}

/** The rows of one part of a block format. Rows wait until they fill a block, and are then written as one
  * block. Rows still waiting at the end of an epoch are written to a spool file.
  *
  * The size of blocks is therefore independent of epochs, as long as epochs are small. If the rows of one
  * epoch make a block large ([[BulkFormat.largeBytes]]), the block ends with the epoch. As soon as the block
  * is large, rows are kept only in the block. After a large epoch, this applies from the start, except for
  * the first few rows. In the first epoch of a part without other parts in the task, this applies from a
  * quarter of a large block on. If such an epoch turns out to be small, its block is small, and the next
  * epoch is treated as small.
  *
  * A part holds rows, but no writer. At most one part of a task has a block that is being filled, until the
  * epoch ends.
  *
  * @param earlier the rows that earlier epochs left; none for a new part
  */
private[bulk] final class BulkPartEncoder(end: PartBuffer, earlier: Option[EarlierRows], parts: BulkParts)
    extends PartEncoder[InternalRow] {
  private[this] var older  = earlier // until a block contains them
  private[this] var fresh  = parts.spool()
  private[this] var open   = Option.empty[OpenBlock]
  private[this] var direct = false   // no row waits: only the open block has rows, and ends with the epoch
  private[this] var anew = earlier.isEmpty // replaces the spool files instead of appending

  private[this] var earlierRaw           = 0L // bytes of rows in the open block from earlier epochs
  private[this] var thisEpoch: LastEpoch = LastEpoch.Small

  // Read lazily, because most epochs do not need the header.
  private[this] lazy val sink  = earlier.fold(parts.sink)(rows => parts.begunAs(rows.header.format))
  private[this] lazy val chain =
    new BlockChain(sink, earlier.fold(Array.emptyByteArray)(_.header.directory), end)

  private[this] var ratios      = parts.sink.ratios
  private[this] var enough      = parts.sink.firstLook
  private[this] var enoughFresh = parts.sink.largeRawBytes
  private[this] var likelyLarge = earlier match {
    case None                             => parts.sink.firstRawBytes
    case Some(rows) if rows.rawBytes == 0 => parts.sink.likelyRawBytes
    case _                                => Long.MaxValue
  }
  private[this] var isLive = true

  override def append(row: InternalRow): Unit = {
    val unsafe = Spool.checked(parts.unsafe(row))
    open match {
      case Some(block) =>
        parts.checks.beforeBlock(unsafe)
        into(block, unsafe)
        if (!direct) fresh.append(unsafe)
        if (block.isFull) endWithAll(block) else if (!direct) letGoOfRows(block)
      case None =>
        parts.checks.beforeWaiting(unsafe)
        fresh.append(unsafe)
        if (isEnough) fill() else if (fresh.rawBytes >= likelyLarge) fillIfLikely()
    }
  }

  /** Gives up the block if the block rejects a row: only the waiting rows are known to be complete. If no
    * rows wait, the block stays open, and cannot be finished.
    */
  private def into(block: OpenBlock, row: UnsafeRow): Unit =
    try block.write(row, row.getSizeInBytes)
    catch {
      case e: Throwable =>
        block.close()
        if (!direct) open = None
        parts.checks.refused()
        BadRow.unless(throw e)
    }

  /** From here on only the block holds the rows. A row rejected by the block fails the task anyway. */
  private def letGoOfRows(block: OpenBlock): Unit =
    if (parts.mayLetGoOfRows && block.isLarge(earlierRaw)) letGo()

  private def letGo(): Unit = {
    taken()
    direct = true
  }

  /** Called at most once per epoch, and only if the previous epoch left no rows. The header records whether
    * the previous epoch was large. A new part has no such record, and makes at most one small block.
    */
  private def fillIfLikely(): Unit = {
    likelyLarge = Long.MaxValue
    val expected = earlier.fold(parts.isOnly)(_.header.last == LastEpoch.Large)
    if (expected && parts.mayLetGoOfRows && parts.mayFill(this)) {
      if (sink.isUnknown) sink.probe(fresh.iterator)
      fillOne()
      lookAgain()
      if (open.isDefined) letGo()
    }
  }

  /** Whether this part has an open block that is too small to end here. */
  private[bulk] def isFilling: Boolean = open.exists(block => !direct || !block.isLarge(earlierRaw))

  override def sizeBytes: Long = {
    val unwritten = if (direct) open.get.rawBytes else waitingBytes
    end.position + (unwritten * ratios.storage).toLong
  }

  /** Ends a block that is nearly full, or is large by the rows of this epoch alone. Any other block is ended
    * by [[finish]] if the part ends, and else given up.
    */
  override def pause(): Unflushed = {
    open.foreach { block =>
      block.measure()
      if (direct || block.isNearlyFull || block.isLarge(earlierRaw)) endWithAll(block)
      else learn(block)
    }
    val rows = fresh
    val kept =
      if (anew) {
        val header = chain.header(thisEpoch)
        UnflushedRows.Instead { out =>
          SpoolFrames.write(header, out)
          rows.writeTo(out)
        }
      } else UnflushedRows.More(rows.writeTo(_))
    Unflushed(note = waitingBytes.toString, kept, (waitingBytes * ratios.storage).toLong)
  }

  override def finish(): Unit = {
    open match {
      case Some(block) => endWithAll(block)
      case None        =>
        val rows = waiting()
        try while (rows.hasNext) chain.finish(filled(rows))
        finally rows.close()
        taken()
    }
    chain.close()
    leave()
  }

  override def close(): Unit = {
    val block = open
    open = None
    direct = false
    Outcomes.each(() => block.foreach(_.close()), () => fresh.clear(), () => leave())
  }

  private def leave(): Unit = if (isLive) {
    isLive = false
    parts.left()
  }

  /** Releases the memory of the block for another part. Ends the block if no rows wait, or if the epoch would
    * end the block anyway: a refill would only take the memory back from the other part. Otherwise the rows
    * are still here, and the block is given up.
    */
  private[bulk] def giveUpBlock(): Unit = {
    open.foreach { block =>
      if (!direct) block.measure()
      if (direct || block.isLarge(earlierRaw)) endWithAll(block)
      else {
        learn(block)
        block.close()
      }
    }
    open = None
    lookLater()
  }

  /** Whether the waiting rows probably make a full block, or a block that ends with the epoch. */
  private def isEnough: Boolean = waitingBytes >= enough || fresh.rawBytes >= enoughFresh

  @scala.annotation.tailrec
  private def fill(): Unit = {
    if (sink.isUnknown && waitingBytes < sink.blockRawBytes) {
      sink.probe(fresh.iterator)
      if (sink.isUnknown) lookLater() else lookAgain()
    } else {
      fillOne()
      lookAgain()
    }
    if (open.isEmpty && isEnough) fill()
  }

  private def fillOne(): Unit = {
    val rows = waiting()
    try {
      val block = filled(rows)
      if (block.isFull) {
        finish(block)
        val rest = parts.spool()
        try rows.foreach(rest.append)
        catch { case e: Throwable => rest.clear(); throw e }
        taken()
        fresh = rest
      } else {
        open = Some(block)
        letGoOfRows(block)
      }
    } finally rows.close()
  }

  private def filled(rows: Iterator[UnsafeRow]): OpenBlock = {
    parts.fill(this)
    earlierRaw = olderBytes
    val block = chain.begin()
    try {
      while (!block.isFull && rows.hasNext) {
        val row = rows.next()
        block.write(row, row.getSizeInBytes)
      }
      block.measure() // otherwise a full block is noticed too late, and may be given up before
    } catch { case e: Throwable => block.close(); throw e }
    block
  }

  private def finish(block: OpenBlock): Unit = {
    chain.finish(block)
    if (block.isLarge(earlierRaw)) thisEpoch = LastEpoch.Large
  }

  private def endWithAll(block: OpenBlock): Unit = {
    finish(block)
    open = None
    direct = false
    taken()
    lookAgain()
  }

  /** Called when all rows are in blocks. */
  private def taken(): Unit = {
    fresh.clear()
    older = None
    anew = true
  }

  private def learn(block: OpenBlock): Unit = OpenBlock.Ratios.learn(sink.description, ratios.knowing(block))

  private def lookAgain(): Unit = {
    ratios = sink.ratios
    enough = sink.firstLook
    enoughFresh = sink.largeRawBytes
    if (earlier.isEmpty && likelyLarge != Long.MaxValue) likelyLarge = sink.firstRawBytes
  }

  /** Called when the waiting rows do not fill a block as predicted: waits for twice as many rows. */
  private def lookLater(): Unit = {
    lookAgain()
    if (isEnough) {
      enough = waitingBytes * 2
      enoughFresh = Long.MaxValue
    }
  }

  private def waiting(): EarlierRows.AndNewer =
    new EarlierRows.AndNewer(older.map(_.rows(sink.schema)), fresh.iterator)

  private def waitingBytes: Long = olderBytes + fresh.rawBytes

  private def olderBytes: Long = older.fold(0L)(_.rawBytes)
}

private[bulk] object BulkPartEncoder {
  private final val CountBytes = 64L << 10

  /** The rows of a part that ends with its epoch. Rows are written on arrival and never wait. */
  final class DirectEncoder(end: PartBuffer, parts: BulkParts) extends PartEncoder[InternalRow] {
    private[this] val chain    = new BlockChain(parts.sink, Array.emptyByteArray, end)
    private[this] val ratios   = parts.sink.ratios
    private[this] var open     = Option.empty[OpenBlock]
    private[this] var before   = 0L // bytes of the part before the open block
    private[this] var counted  = 0L
    private[this] var countRaw = 0L // the next bytes of rows at which the block is measured

    override def append(row: InternalRow): Unit = {
      val unsafe = parts.unsafe(row)
      val block  = open.getOrElse {
        before = end.position
        val begun = chain.begin()
        open = Some(begun)
        begun
      }
      BadRow.unless(block.write(unsafe, unsafe.getSizeInBytes))
      if (block.isFull) endBlock()
      else if (block.rawBytes >= countRaw) {
        countRaw = block.rawBytes + CountBytes
        count(block.estimatedBytes)
      }
    }

    /** The last measured size of the open block. */
    private[bulk] def blockBytes: Long = counted

    /** The size at the last measurement, unless a user-defined writer has since written more of the block. */
    override def sizeBytes: Long = open.fold(end.position) { block =>
      end.position.max(before + (block.bufferedBytes / ratios.block * ratios.storage).toLong)
    }

    /** Ends the block, although short, because the part does not end with its epoch after all. */
    override def pause(): Unflushed = {
      endBlock()
      val header = chain.header(LastEpoch.Small)
      Unflushed(note = "0", UnflushedRows.Instead(SpoolFrames.write(header, _)), storageBytes = 0)
    }

    override def finish(): Unit = {
      endBlock()
      chain.close()
    }

    override def close(): Unit = {
      val block = open
      open = None
      count(0)
      block.foreach(_.close())
    }

    private[bulk] def endBlock(): Unit = {
      open.foreach(chain.finish)
      open = None
      countRaw = 0
      count(0)
    }

    private def count(now: Long): Unit = if (now != counted) {
      val was = counted
      counted = now
      parts.counts(this, was, now)
    }
  }
}
