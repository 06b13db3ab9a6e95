// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.io.{ByteArrayOutputStream, IOException, OutputStream}

import scala.util.Using
import scala.util.control.NoStackTrace

import stoplog.fault.{Faults, Step}
import stoplog.part.{LastWriter, Open, PartRows, Pending, RecordBytes, RunId, SpoolFile, Spooled, TimeRange}
import stoplog.rolling.{PartStats, RollReason}
import stoplog.storage.{NewPart, PartOutput, SpoolFiles}
import stoplog.thread.Outcomes

/** A part while a task writes it. Used by the task's thread, and finally by the thread that makes the part
  * durable.
  *
  * @param before the part in the newest record; `None` for a new part
  */
private[stoplog] final class OpenPartWriter[R] private (
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
  private[this] val isTimed   = times != TaskWriter.Times[R]()

  override def sizeBytes: Long           = body.sizeBytes
  override def records: Long             = rows
  override def lastWrittenAtMillis: Long = writtenAt.max(openedAtMillis) // opened later

  override def firstEventTimeMillis: Option[Long] = firstTime

  /** Returns whether the part has reached the limit of its store. */
  def isAtLimit: Boolean = end.mostBytes != Long.MaxValue && sizeBytes >= end.mostBytes

  /** Returns the bytes that this task has added to the store. */
  def bytesAdded: Long = end.bytesAdded

  /** Returns a negative number if the part exceeds a limit, or has reached the limit of its store.
    *
    * The method has no branches: [[TaskWriter.write]] says why.
    */
  def room(mostBytes: Long, mostRecords: Long): Long = {
    val size = body.sizeBytes
    (mostBytes - size) | (mostRecords - 1 - rows) | (end.mostBytes - 1 - size)
  }

  /** Called once, before the first row. */
  def begin(): Unit = body.begin()

  def append(row: R, nowMillis: Long): Unit = {
    body.append(row)
    if (isTimed) addTimes(row)
    rows += 1
    writtenAt = nowMillis
  }

  /** Sets the latest possible time of the last row, if the row was appended with the time `since`. */
  def writtenUntil(nowMillis: Long, since: Long): Unit = if (writtenAt == since) writtenAt = nowMillis

  /** Called before the policy checks the part, so that bytes held back by a compressor count. */
  def pause(): Unit = left = body.pause()

  /** Called after [[pause]]: makes the epoch's rows durable. The part stays open; nothing can be appended any
    * more.
    *
    * If the part wrote nothing but spool files, its handle stays, and a process that could write to the part
    * before still can (I1).
    *
    * @param inRecordBytes the limit for the part's bytes in the record, and the same limit for its spooled
    *                      rows
    */
  def persist(slot: Int, run: RunId, spool: SpoolWriter, inRecordBytes: Int = 0): Open = {
    val spooled =
      spool.write(NewPart(bucket, name, run), before.fold(Spooled.nothing)(_.spooled), left, inRecordBytes)
    val stored = end.persist(inRecordBytes)
    body.close()
    Open(
      bucket,
      name,
      stored
        .orElse(before.map(_.handle))
        .getOrElse(throw new IllegalStateException(s"$name was never opened")),
      end.position,
      written,
      LastWriter(slot, if (stored.isDefined) Some(run) else before.flatMap(_.owner)),
      spooled
    )
  }

  /** Writes the rows that the format still holds. Afterwards the part can only be closed. */
  def complete(): Unit = body.finish()

  /** After [[complete]]: closes the part permanently. */
  def finish(reason: RollReason): Pending = {
    val handle = end.finish()
    body.close()
    Pending(bucket, name, handle, end.position, written, reason)
  }

  /** Abandons the part: closes the file and deletes nothing (I5). */
  override def close(): Unit = Outcomes.each(() => body.close(), () => end.close())

  private def written: PartRows = PartRows(
    rows,
    openedAtMillis,
    lastWrittenAtMillis,
    times = range.result(rows),
    firstEventTimeMillis = firstTime
  )

  private def addTimes(row: R): Unit = {
    range.add(row)
    if (firstTime.isEmpty && !times.ofEvent.isMissing(row)) firstTime = Some(times.ofEvent.millis(row))
  }
}

private[stoplog] object OpenPartWriter {

  /** Starts a new part. Its file is opened now. */
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

  /** Resumes an open part. If the part has spooled rows, its file is opened with the first bytes to write.
    *
    * @param part   the part, with the owner to record if this task writes nothing to the file
    * @param output opens the file
    */
  def resume[R](part: Open, format: PartFormat[R], times: TaskWriter.Times[R])(
      output: () => PartOutput
  ): OpenPartWriter[R] = {
    val end                  = new PartBuffer(output, part.validBytes)
    def resumed              = format.resume(part.name, end, part.spooled)
    val body: PartEncoder[R] = if (part.spooled.hasRows) resumed else opened(end)(resumed)
    new OpenPartWriter(part.bucket, part.name, part.openedAtMillis, Some(part), end, body, times)
  }

  private def opened[R](end: PartBuffer)(body: => PartEncoder[R]): PartEncoder[R] = {
    end.openNow()
    try body
    catch { case e: Throwable => end.close(); throw e }
  }

  /** The time of each row, in microseconds since 1970-01-01T00:00:00. */
  trait RowTimes[-R] extends Serializable {

    /** Returns whether the row has no time. */
    def isMissing(row: R): Boolean

    /** Returns the time of the row. Not called if [[isMissing]]. */
    def micros(row: R): Long

    /** Returns [[micros]] in milliseconds. */
    final def millis(row: R): Long = Math.floorDiv(micros(row), 1000L)
  }

  object RowTimes {

    /** No times, for a write that needs none. */
    case object NoTimes extends RowTimes[Any] {
      override def isMissing(row: Any): Boolean = true
      override def micros(row: Any): Long       = 0
    }

    /** The range of times in the rows of one part. */
    private[stoplog] final class Seen[R](times: RowTimes[R], before: Option[TimeRange], rowsBefore: Long) {
      private[this] var min = before.fold(Long.MaxValue)(_.minMicros)
      private[this] var max = before.fold(Long.MinValue)(_.maxMicros)

      // If the times of some rows were not read, the range of the other rows is not the range of the part.
      private[this] val isTimed  = times != RowTimes.NoTimes
      private[this] val wasKnown = rowsBefore == 0 || before.isDefined

      def add(row: R): Unit =
        if (wasKnown && !times.isMissing(row)) {
          val micros = times.micros(row)
          if (micros < min) min = micros
          if (micros > max) max = micros
        }

      /** Returns the range; `None` if no row has a time, or if the times of some rows were not read.
        *
        * @param rows the number of rows of the part now
        */
      def result(rows: Long): Option[TimeRange] =
        Option.when(wasKnown && (isTimed || rows == rowsBefore) && min <= max)(TimeRange(min, max))
    }
  }
}

/** Writes the spooled rows of parts: one file for each part and epoch, or no file while the record has space.
  *
  * A fixed number of small files of one level is merged to one file of the next level. So a part has at most
  * a few dozen files, regardless of the number of epochs that fill a block. Each row is copied once per
  * level, and the number of levels grows logarithmically.
  *
  * @param filesPerLevel the number of files of one level that become one file of the next; at least 2
  */
private[stoplog] final class SpoolWriter(
    store: SpoolFiles,
    faults: Faults,
    filesPerLevel: Int = SpoolWriter.FilesPerLevel
) {

  /** Spools the remaining rows of an epoch, and returns the new spool state; its files are durable.
    *
    * @param inRecordBytes the limit, in bytes, for rows in the record, including rows of earlier epochs
    */
  def write(part: NewPart, earlier: Spooled, left: Unflushed, inRecordBytes: Int = 0): Spooled =
    left.rows match {
      case UnflushedRows.None             => Spooled(left.note, Vector.empty, left.storageBytes)
      case UnflushedRows.Instead(writeTo) => spooled(part, Vector.empty, left, inRecordBytes)(writeTo)
      case UnflushedRows.More(writeTo)    =>
        spooled(part, earlier.files, left, inRecordBytes) { out =>
          out.write(earlier.inRecord.bytes)
          writeTo(out)
        }
    }

  /** Spools rows after these files: in the record, or else in one more file. */
  private def spooled(part: NewPart, files: Vector[SpoolFile], left: Unflushed, inRecordBytes: Int)(
      writeTo: OutputStream => Unit
  ): Spooled = SpoolWriter.bounded(inRecordBytes)(writeTo) match {
    case Some(bytes) => Spooled(left.note, files, left.storageBytes, RecordBytes.of(bytes))
    case None        =>
      val (kept, merged) = files.splitAt(files.size - SpoolWriter.mergeable(files, filesPerLevel))
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
    faults.at(Step.SpoolWritten)
    SpoolFile(token, size, level)
  }
}

private[stoplog] object SpoolWriter {

  private[stoplog] val FilesPerLevel = 16

  /** Returns the number of the last files to merge with the next file. */
  private[stoplog] def mergeable(files: Vector[SpoolFile], filesPerLevel: Int): Int = {
    @scala.annotation.tailrec
    def from(count: Int, level: Int): Int = {
      val same = files.reverseIterator.drop(count).takeWhile(_.level == level).size
      if (same >= filesPerLevel - 1) from(count + same, level + 1) else count
    }
    from(count = 0, level = 0)
  }

  /** Returns the bytes, if there are not more than `most`. */
  private def bounded(most: Int)(writeTo: OutputStream => Unit): Option[Array[Byte]] =
    if (most == 0) None
    else {
      val out = new BoundedBuffer(most)
      try {
        writeTo(out)
        Some(out.toByteArray)
      } catch { case TooMany => None }
    }

  /** Aborts a write early that exceeds the limit. */
  private object TooMany extends IOException with NoStackTrace

  private final class BoundedBuffer(most: Int) extends ByteArrayOutputStream {

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
