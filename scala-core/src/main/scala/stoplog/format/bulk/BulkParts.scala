// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import stoplog.commit.{BadRow, OnBadRow, PartBuffer, PartEncoder, PartFormat}
import stoplog.error.Errors
import stoplog.part.Spooled
import stoplog.storage.SpoolFiles
import stoplog.thread.SharedMemory

/** Parts of a format of blocks, as the commit protocol sees them. For one task, or for the driver.
  *
  * @param project the columns that are written
  * @param spoolFiles   the spool files of open parts
  * @param onBadRow whether rows are tried before they wait for their block
  * @param memory  of the rows that wait in this process
  * @param mostInBlocks the bytes that the blocks of the task may have together, where each part has one; by default what the heap allows
  */
private[stoplog] final class BulkParts(
    private[bulk] val sink: BulkSink,
    project: InternalRow => InternalRow,
    spoolFiles: SpoolFiles,
    onBadRow: OnBadRow,
    memory: SharedMemory = SharedMemory.ofRows,
    mostInBlocks: Option[Long] = None
) extends PartFormat[InternalRow] {
  import BulkParts.RowChecks

  private[this] lazy val toUnsafe = UnsafeProjection.create(sink.schema) // compiles code
  private[this] val required      = new RowChecks.Required(sink.schema)

  private[this] var filling = Option.empty[BulkPartEncoder]
  private[this] var live    = 0 // parts that rows go to

  private[this] lazy val mostBytes = mostInBlocks.getOrElse(BulkParts.mostInBlocks(sink.format))

  private[this] var inBlocks = 0L
  private[this] var counted  = Set.empty[BulkPartEncoder.DirectEncoder]

  private[bulk] val checks: RowChecks = onBadRow match {
    case OnBadRow.Fail   => RowChecks.Omitted
    case OnBadRow.Reject => new RowChecks.Each(sink.format)
  }

  /** A block that refuses a row is lost. If the task is to go on without that row, all others must be kept. */
  private[bulk] val mayLetGoOfRows: Boolean = onBadRow == OnBadRow.Fail

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    (sink.life, onBadRow) match {
      case (PartLife.OneEpoch, OnBadRow.Fail) => new BulkPartEncoder.DirectEncoder(end, this)
      // A block that refuses a row is lost, so the rows have to be kept until it is written.
      case _ => begun(end, None)
    }

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] =
    begun(end, Some(new EarlierRows(beside, spoolFiles)))

  override def close(): Unit = checks.close()

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
  private[bulk] def begunAs(description: String): BulkSink =
    if (description == sink.description) sink else BulkSink.of(description, sink.running)

  private[bulk] def spool(): Spool = new Spool(sink.schema.length, memory)

  /** Whether the task has no more than one part. */
  private[bulk] def isOnly: Boolean = live == 1

  /** A part is over, for this task. */
  private[bulk] def left(): Unit = live -= 1

  /** Whether no other part loses by it that this one fills a block. */
  private[bulk] def mayFill(part: BulkPartEncoder): Boolean = !filling.exists(p => (p ne part) && p.isFilling)

  /** Takes the block of any other part from it: one part of a task at a time may fill one, which takes as much memory as it is
    * large.
    */
  private[bulk] def fill(part: BulkPartEncoder): Unit = {
    filling.filter(_ ne part).foreach(_.giveUpBlock())
    filling = Some(part)
  }

  /** The open block of a part has come to another size. The largest one ends early where those of the task have too many bytes
    * together: its part gets one block more.
    */
  private[bulk] def counts(part: BulkPartEncoder.DirectEncoder, before: Long, now: Long): Unit = {
    inBlocks += now - before
    if (now == 0) counted -= part else counted += part
    while (inBlocks > mostBytes && counted.nonEmpty) counted.maxBy(_.blockBytes).endBlock()
  }

  private def begun(end: PartBuffer, earlier: Option[EarlierRows]): BulkPartEncoder = {
    live += 1
    new BulkPartEncoder(end, earlier, this)
  }
}

private[stoplog] object BulkParts {

  /** One block at least, as where parts fill one after the other; or a quarter of the heap for the tasks of a process. A format
    * that writes a part as one block cannot end it.
    */
  private def mostInBlocks(format: BulkFormat): Long = {
    val runtime = Runtime.getRuntime
    format.blockBytes.max(runtime.maxMemory / HeapShare / runtime.availableProcessors)
  }

  private final val HeapShare = 4L

  /** Finds out whether rows can be written when they come. For one task.
    *
    * A row waits for its block, which may be written in a later epoch, by another process. To be rejected in its own
    * epoch it has to be tried before it waits.
    */
  private[bulk] sealed trait RowChecks {

    /** Checks a row before it waits for a block that is not begun yet. Throws [[BadRow]]. */
    def beforeWaiting(row: UnsafeRow): Unit

    /** Checks a row before it goes straight into a block. Throws [[BadRow]]. */
    def beforeBlock(row: UnsafeRow): Unit

    /** A block refused a row. It can take no other, and its rows have to be encoded again. */
    def refused(): Unit

    /** Frees what it holds. */
    def close(): Unit
  }

  private[bulk] object RowChecks {

    /** A row that cannot be written fails the task that comes upon it. */
    case object Omitted extends RowChecks {
      override def beforeWaiting(row: UnsafeRow): Unit = ()
      override def beforeBlock(row: UnsafeRow): Unit   = ()
      override def refused(): Unit                     = ()
      override def close(): Unit                       = ()
    }

    /** Rows that wait are encoded once more than they need be. Those that go straight into a block are not, until the
      * first one is refused: from then on a block would have to be made anew for each.
      */
    final class Each(format: BulkFormat) extends RowChecks {
      private[this] var trial  = Option.empty[BlockWriter]
      private[this] var looks  = new SizeLooks(TrialBytes)
      private[this] var wasBad = false

      override def beforeWaiting(row: UnsafeRow): Unit = {
        val writer = trial.getOrElse(begin())
        try writer.write(row)
        catch { case e: Throwable => end(); wasBad = true; BadRow.unless(throw e) }
        if (looks.isFullWith(row.getSizeInBytes.toLong)(writer.bufferedBytes)) end()
      }

      override def beforeBlock(row: UnsafeRow): Unit = if (wasBad) beforeWaiting(row)

      override def refused(): Unit = wasBad = true

      override def close(): Unit = end()

      private def begin(): BlockWriter = {
        val writer = format.block(new NullOutput, Array.emptyByteArray)
        trial = Some(writer)
        looks = new SizeLooks(TrialBytes)
        writer
      }

      private def end(): Unit = {
        trial.foreach(_.close())
        trial = Option.empty
      }

      private final val TrialBytes = 4L << 20
    }

    /** Columns that are never null, as Spark was told: a null among them would be taken for a value, or lost. */
    final class Required(schema: StructType) {
      private[this] val ordinals = schema.indices.filterNot(schema(_).nullable).toArray

      /** Throws [[BadRow]]. */
      def check(row: InternalRow): Unit = {
        var i = 0
        while (i < ordinals.length) {
          if (row.isNullAt(ordinals(i))) throw new BadRow(Errors.nullRequired(schema(ordinals(i)).name))
          i += 1
        }
      }
    }
  }
}

/** Writes the ends of parts that were left open with spooled rows, each in the format in which it was begun,
  * whatever is set now. For the driver, which begins none.
  *
  * @param running the query's name for its own bulk format, if it has one
  */
private[stoplog] final class EndingParts(spoolFiles: SpoolFiles, running: Option[String])
    extends PartFormat[InternalRow] {

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    throw new UnsupportedOperationException(s"$name is to be begun where parts are ended")

  override def resume(name: String, end: PartBuffer, beside: Spooled): PartEncoder[InternalRow] = {
    val begunAs = BulkSink.of(new EarlierRows(beside, spoolFiles).header.format, running)
    new BulkParts(begunAs, identity, spoolFiles, OnBadRow.Fail).resume(name, end, beside)
  }
}
