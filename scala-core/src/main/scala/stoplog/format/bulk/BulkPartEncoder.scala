// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import stoplog.commit.{BadRow, PartBuffer, PartEncoder, Unflushed, UnflushedRows}
import stoplog.format.bulk.SpoolFrames.LastEpoch
import stoplog.thread.Outcomes

/** The rows of one part of a format of blocks. They wait until they fill a block, and are then written as one; those
  * that still wait at the end of an epoch go into a spool file.
  *
  * So the size of blocks does not depend on epochs, as long as these are small. An epoch that alone brings a large block
  * ([[BulkFormat.largeBytes]]) ends it: from the row on that made it large no row is kept beside the block. Behind such an
  * epoch no row is from the beginning, but for the first few; and in the first epoch of a part that is alone in its task none
  * is from a quarter of a large block on. If the epoch is small after all, it makes a small block, and the next one is taken for
  * a small one.
  *
  * A part holds rows, but no writer: of all parts of a task one at most has a block that is being filled, until the epoch
  * ends.
  *
  * @param earlier the rows that earlier epochs left; none for a new part
  */
private[bulk] final class BulkPartEncoder(end: PartBuffer, earlier: Option[EarlierRows], parts: BulkParts)
    extends PartEncoder[InternalRow] {
  private[this] var older  = earlier // until a block has taken them
  private[this] var fresh  = parts.spool()
  private[this] var open   = Option.empty[OpenBlock]
  private[this] var direct = false   // no row waits: the open block alone has them, and ends with the epoch
  private[this] var anew = earlier.isEmpty // replaces the spool files, rather than adding to them

  private[this] var earlierRaw = 0L // bytes of rows in the open block that earlier epochs have brought
  private[this] var thisEpoch: LastEpoch = LastEpoch.Small

  // Not read before it is needed, which in most epochs it is not.
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

  /** A block that refuses a row is given up: only the rows that wait are known to be whole. Where none wait, the block
    * stays, and cannot be ended.
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

  /** From here on the block alone has the rows, where one that it refuses fails the task anyway. */
  private def letGoOfRows(block: OpenBlock): Unit =
    if (parts.mayLetGoOfRows && block.isLarge(earlierRaw)) letGo()

  private def letGo(): Unit = {
    taken()
    direct = true
  }

  /** Asked once an epoch, and only where the last one left no row: it may have been large, which its header tells. Of a new
    * part nothing tells; it makes one small block at most.
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

  /** Whether it has a block that is not large enough to end here. */
  private[bulk] def isFilling: Boolean = open.exists(block => !direct || !block.isLarge(earlierRaw))

  override def sizeBytes: Long = {
    val unwritten = if (direct) open.get.rawBytes else waitingBytes
    end.position + (unwritten * ratios.storage).toLong
  }

  /** A block that is nearly full ends here, and one that this epoch alone has made large. Any other is filled further if the
    * part ends, and else given up.
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

  /** Gives the memory of the block to another part. It ends where no rows wait, and where the epoch would end it anyway: to
    * be filled again it would only have to take it from the other part. Else the rows are still here.
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

  /** There are enough rows for a block that is full, or for one that ends with the epoch, as far as one can tell. */
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
      block.measure() // or whether it is full would be known too late, and it might be given up meanwhile
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

  /** All rows are in blocks. */
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

  /** The rows that wait have been looked at, and fill no block, whatever is known of others: twice as many may. */
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

  /** The rows of a part that ends with its epoch: written as they come, with nothing to wait for. */
  final class DirectEncoder(end: PartBuffer, parts: BulkParts) extends PartEncoder[InternalRow] {
    private[this] val chain    = new BlockChain(parts.sink, Array.emptyByteArray, end)
    private[this] val ratios   = parts.sink.ratios
    private[this] var open     = Option.empty[OpenBlock]
    private[this] var before   = 0L // bytes of the part in front of the open block
    private[this] var counted  = 0L
    private[this] var countRaw = 0L // the next bytes of rows at which the block is counted

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

    /** The size of the open block, as it was last counted. */
    private[bulk] def blockBytes: Long = counted

    /** The size when the block was last measured, unless a user's writer has written more of its block since. */
    override def sizeBytes: Long = open.fold(end.position) { block =>
      end.position.max(before + (block.bufferedBytes / ratios.block * ratios.storage).toLong)
    }

    /** Ends a block that is as short as its epoch, because the part does not end after all. */
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
