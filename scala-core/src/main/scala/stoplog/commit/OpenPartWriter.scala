// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.{ByteArrayOutputStream, IOException, OutputStream}

import scala.util.Using
import scala.util.control.NoStackTrace

import stoplog.fault.{Faults, Step}
import stoplog.part.{Open, Pending, RecordBytes, RunId, SpoolFile, Spooled, TimeRange}
import stoplog.rolling.{PartStats, RollReason}
import stoplog.storage.{NewPart, PartOutput, SpoolFiles}
import stoplog.thread.Outcomes

/** A part while a task writes it. Used by the task's thread, until a thread of its own makes it durable in the end.
  *
  * @param before the part as the record has it; `None` for a new one
  */
private[commit] final class OpenPartWriter[R] private (
    val bucket: String,
    val name: String,
    override val openedAtMillis: Long,
    before: Option[Open],
    end: PartBuffer,
    body: PartEncoder[R],
    times: TaskWriter.Times[R]
) extends PartStats
    with AutoCloseable {
  import OpenPartWriter.RowTimes

  private[this] var rows      = before.fold(0L)(_.records)
  private[this] var writtenAt = before.fold(openedAtMillis)(_.lastWrittenAtMillis)
  private[this] var left      = Unflushed.nothing
  private[this] var firstTime = before.flatMap(_.firstEventTimeMillis)
  private[this] val range     = new RowTimes.Seen(times.recorded, before.flatMap(_.times), rows)

  override def sizeBytes: Long           = body.sizeBytes
  override def records: Long             = rows
  override def lastWrittenAtMillis: Long = writtenAt

  override def firstEventTimeMillis: Option[Long] = firstTime

  /** Whether it has what its store takes. */
  def isAtLimit: Boolean = end.mostBytes != Long.MaxValue && sizeBytes >= end.mostBytes

  /** Bytes on the store that were not there when this task took the part. */
  def bytesAdded: Long = end.bytesAdded

  def append(row: R, nowMillis: Long): Unit = {
    body.append(row)
    range.add(row)
    if (firstTime.isEmpty && !times.ofEvent.isMissing(row)) firstTime = Some(times.ofEvent.millis(row))
    rows += 1
    writtenUntil(nowMillis)
  }

  /** The last row came at this time at the latest. */
  def writtenUntil(nowMillis: Long): Unit = writtenAt = nowMillis.max(openedAtMillis) // opening took its time

  /** Before the policy looks: what a compressor held back counts then. */
  def pause(): Unit = left = body.pause()

  /** After [[pause]]: makes the epoch's rows durable. The part stays open.
    *
    * A part that had nothing to write to but spool files keeps its handle, and a process that could write to it before
    * still can (I1). Nothing can be appended any more.
    *
    * @param inRecordBytes so many bytes of the part, and as many of the rows beside it, may be in the record
    */
  def persist(slot: Int, run: RunId, spool: SpoolWriter, inRecordBytes: Int = 0): Open = {
    val spooled =
      spool.write(NewPart(bucket, name, run), before.fold(Spooled.nothing)(_.beside), left, inRecordBytes)
    val stored = end.persist(inRecordBytes)
    body.close()
    Open(
      bucket,
      name,
      slot,
      stored
        .orElse(before.map(_.handle))
        .getOrElse(throw new IllegalStateException(s"$name was never opened")),
      end.position,
      rows,
      openedAtMillis,
      writtenAt,
      if (stored.isDefined) Some(run) else before.flatMap(_.owner),
      spooled,
      times = range.result,
      firstEventTimeMillis = firstTime
    )
  }

  /** Writes what rows the format still holds. After that the part can only be [[close]]d for good. */
  def complete(): Unit = body.finish()

  /** After [[complete]]: closes the part for good. */
  def finish(reason: RollReason): Pending = {
    val handle = end.finish()
    body.close()
    Pending(
      bucket,
      name,
      handle,
      end.position,
      rows,
      openedAtMillis,
      writtenAt,
      reason,
      times = range.result
    )
  }

  /** Gives up: closes the file and deletes nothing (I5). */
  override def close(): Unit = Outcomes.each(() => body.close(), () => end.close())
}

private[stoplog] object OpenPartWriter {

  /** A new part. Its file is begun now. */
  def begin[R](
      part: NewPart,
      output: PartOutput,
      format: PartFormat[R],
      times: TaskWriter.Times[R],
      nowMillis: Long
  ): OpenPartWriter[R] = {
    val end  = new PartBuffer(() => output, startBytes = 0)
    val body = opened(end)(format.begin(part.name, end))
    new OpenPartWriter(part.bucket, part.name, nowMillis, None, end, body, times)
  }

  /** A part that was left open. Where rows are kept beside it, its file is opened when there is something to write.
    *
    * @param part   with the owner who will be the only one to write to it if this one does not
    * @param output opens the file
    */
  def resume[R](part: Open, format: PartFormat[R], times: TaskWriter.Times[R])(
      output: () => PartOutput
  ): OpenPartWriter[R] = {
    val end                  = new PartBuffer(output, part.validBytes)
    def resumed              = format.resume(part.name, end, part.beside)
    val body: PartEncoder[R] = if (part.beside.hasRows) resumed else opened(end)(resumed)
    new OpenPartWriter(part.bucket, part.name, part.openedAtMillis, Some(part), end, body, times)
  }

  private def opened[R](end: PartBuffer)(body: => PartEncoder[R]): PartEncoder[R] = {
    end.openNow()
    try body
    catch { case e: Throwable => end.close(); throw e }
  }

  /** The time of each row, in microseconds since 1970-01-01T00:00:00. */
  trait RowTimes[-R] extends Serializable {

    /** Whether this row has none. */
    def isMissing(row: R): Boolean

    /** Not asked where [[isMissing]]. */
    def micros(row: R): Long

    /** As [[micros]], in milliseconds. */
    final def millis(row: R): Long = Math.floorDiv(micros(row), 1000L)
  }

  object RowTimes {

    /** No times, for a write that needs none. */
    case object Unasked extends RowTimes[Any] {
      override def isMissing(row: Any): Boolean = true
      override def micros(row: Any): Long       = 0
    }

    /** The range of times that the rows of one part have. */
    private[commit] final class Seen[R](times: RowTimes[R], before: Option[TimeRange], rowsBefore: Long) {
      private[this] var min = before.fold(Long.MaxValue)(_.minMicros)
      private[this] var max = before.fold(Long.MinValue)(_.maxMicros)

      // Rows may be written without being asked for their times: the times of the others are then not those of all rows.
      private[this] val asked   = times != RowTimes.Unasked
      private[this] var isKnown = rowsBefore == 0 || before.isDefined

      def add(row: R): Unit =
        if (!asked) isKnown = false
        else if (isKnown && !times.isMissing(row)) {
          val micros = times.micros(row)
          if (micros < min) min = micros
          if (micros > max) max = micros
        }

      /** `None` without a row that has a time, or with rows that were not looked at. */
      def result: Option[TimeRange] = Option.when(isKnown && min <= max)(TimeRange(min, max))
    }
  }
}

/** Writes what parts leave beside them: one file for each part and epoch, or nothing as long as the record has room for it.
  *
  * Small files are put together now and then, a fixed number of one level into one of the next. So a part has at most
  * a few dozen however many epochs it takes to fill a block, and a row is copied once a level, which is a logarithm.
  *
  * @param together as many files of one level become one of the next; at least 2
  */
private[stoplog] final class SpoolWriter(
    store: SpoolFiles,
    faults: Faults,
    together: Int = SpoolWriter.Together
) {

  /** Writes the rows beside the part, and answers what is beside it from now on; the files are durable.
    *
    * @param inRecordBytes so many bytes, those of earlier epochs included, wait in the record until there are more
    */
  def write(part: NewPart, earlier: Spooled, left: Unflushed, inRecordBytes: Int = 0): Spooled =
    left.rows match {
      case UnflushedRows.None             => Spooled(left.note, Vector.empty, left.storageBytes)
      case UnflushedRows.Instead(writeTo) => beside(part, Vector.empty, left, inRecordBytes)(writeTo)
      case UnflushedRows.More(writeTo)    =>
        beside(part, earlier.files, left, inRecordBytes) { out =>
          out.write(earlier.inRecord.bytes)
          writeTo(out)
        }
    }

  /** Behind these files: in the record, or else in one more file. */
  private def beside(part: NewPart, files: Vector[SpoolFile], left: Unflushed, inRecordBytes: Int)(
      writeTo: OutputStream => Unit
  ): Spooled = SpoolWriter.few(inRecordBytes)(writeTo) match {
    case Some(bytes) => Spooled(left.note, files, left.storageBytes, RecordBytes.of(bytes))
    case None        =>
      val (kept, merged) = files.splitAt(files.size - SpoolWriter.mergeable(files, together))
      val file           = written(part, merged.headOption.fold(0)(_.level + 1)) { out =>
        merged.foreach(file => Using.resource(store.read(file))(_.transferTo(out)))
        writeTo(out)
      }
      Spooled(left.note, kept :+ file, left.storageBytes)
  }

  private def written(part: NewPart, level: Int)(content: OutputStream => Unit): SpoolFile = {
    var size  = 0L
    val token = store.write(part) { out =>
      val counted = new SpoolWriter.Counted(out)
      content(counted)
      size = counted.bytes
    }
    faults.at(Step.SideWritten)
    SpoolFile(token, size, level)
  }
}

private[stoplog] object SpoolWriter {

  private[commit] val Together = 16

  /** The number of the last files that are to be put together with the one that comes. */
  private[commit] def mergeable(files: Vector[SpoolFile], together: Int): Int = {
    @scala.annotation.tailrec
    def from(count: Int, level: Int): Int = {
      val same = files.reverseIterator.drop(count).takeWhile(_.level == level).size
      if (same >= together - 1) from(count + same, level + 1) else count
    }
    from(count = 0, level = 0)
  }

  /** The bytes, if they are no more than so many. */
  private def few(most: Int)(writeTo: OutputStream => Unit): Option[Array[Byte]] =
    if (most == 0) None
    else {
      val out = new Few(most)
      try {
        writeTo(out)
        Some(out.toByteArray)
      } catch { case TooMany => None }
    }

  /** Ends a write that has come too far, early. */
  private object TooMany extends IOException with NoStackTrace

  private final class Few(most: Int) extends ByteArrayOutputStream {

    override def write(byte: Int): Unit = {
      if (count == most) throw TooMany
      super.write(byte)
    }

    override def write(from: Array[Byte], offset: Int, length: Int): Unit = {
      if (count + length > most) throw TooMany
      super.write(from, offset, length)
    }
  }

  private final class Counted(out: OutputStream) extends OutputStream {
    var bytes = 0L

    override def write(byte: Int): Unit = {
      out.write(byte)
      bytes += 1
    }

    override def write(from: Array[Byte], offset: Int, count: Int): Unit = {
      out.write(from, offset, count)
      bytes += count
    }
  }
}
