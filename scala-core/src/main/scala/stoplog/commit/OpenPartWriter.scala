// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.part.{Beside, Open, Pending, Resume, RunId, TimeRange}
import stoplog.rolling.{PartStats, RollReason}
import stoplog.storage.{NewPart, PartOutput}

/** A part while a task writes it. Used by the task's thread, until a thread of its own makes it durable in the end. */
private[commit] final class OpenPartWriter[R] private (
    val bucket: String,
    val name: String,
    end: PartBuffer,
    body: PartEncoder[R],
    before: OpenPartWriter.Before,
    times: RowTimes[R],
    eventTimes: RowTimes[R]
) extends PartStats {
  private[this] var rows      = before.records
  private[this] var writtenAt = before.writtenAtMillis
  private[this] var left      = Leftover.nothing
  private[this] var firstTime = before.firstEventTimeMillis
  private[this] val range     = new TimesSeen(times, before.times, before.records)

  override def openedAtMillis: Long      = before.openedAtMillis
  override def sizeBytes: Long           = body.sizeBytes
  override def records: Long             = rows
  override def lastWrittenAtMillis: Long = writtenAt

  override def firstEventTimeMillis: Option[Long] = firstTime

  /** Bytes on the store that were not there when this task took the part. */
  def bytesAdded: Long = end.bytesAdded

  def append(row: R, nowMillis: Long): Unit = {
    body.append(row)
    range.add(row)
    if (firstTime.isEmpty && !eventTimes.isMissing(row)) firstTime = Some(eventTimes.millis(row))
    rows += 1
    writtenAt = nowMillis.max(openedAtMillis) // opening took its time
  }

  /** Before the policy looks: what a compressor held back counts then. */
  def pause(): Unit = left = body.pause()

  /** After [[pause]]: makes the epoch's rows durable. The part stays open.
    *
    * A part that had nothing to write to but spool files keeps its handle, and a process that could write to it before
    * still can (I1). Nothing can be appended any more.
    */
  def persist(slot: Int, run: RunId, sides: Sides): Open = {
    val beside = sides.write(NewPart(bucket, name, run), before.beside, left)
    val stored = end.persist()
    body.close()
    Open(
      bucket,
      name,
      slot,
      stored.orElse(before.handle).getOrElse(throw new IllegalStateException(s"$name was never opened")),
      end.position,
      rows,
      openedAtMillis,
      writtenAt,
      if (stored.isDefined) Some(run) else before.owner,
      beside,
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
  def close(): Unit = {
    body.close()
    end.close()
  }
}

private[commit] object OpenPartWriter {

  /** A new part. Its file is begun now. */
  def begin[R](
      bucket: String,
      name: String,
      output: PartOutput,
      format: PartFormat[R],
      times: RowTimes[R],
      eventTimes: RowTimes[R],
      nowMillis: Long
  ): OpenPartWriter[R] = {
    val end    = new PartBuffer(() => output, startBytes = 0)
    val body   = opened(end)(format.begin(name, end))
    val before = Before(nowMillis, nowMillis, 0, None, None, Beside.nothing, None, None)
    new OpenPartWriter(bucket, name, end, body, before, times, eventTimes)
  }

  /** A part that was left open. Where rows are kept beside it, its file is opened when there is something to write.
    *
    * @param part   with the owner who will be the only one to write to it if this one does not
    * @param output opens the file
    */
  def resume[R](part: Open, format: PartFormat[R], times: RowTimes[R], eventTimes: RowTimes[R])(
      output: () => PartOutput
  ): OpenPartWriter[R] = {
    val end  = new PartBuffer(output, part.validBytes)
    val body =
      if (part.beside.files.isEmpty) opened(end)(format.resume(part.name, end, part.beside))
      else format.resume(part.name, end, part.beside)
    val before = Before(
      part.openedAtMillis,
      part.lastWrittenAtMillis,
      part.records,
      part.owner,
      Some(part.handle),
      part.beside,
      part.times,
      part.firstEventTimeMillis
    )
    new OpenPartWriter(part.bucket, part.name, end, body, before, times, eventTimes)
  }

  private def opened[R](end: PartBuffer)(body: => PartEncoder[R]): PartEncoder[R] = {
    end.openNow()
    try body
    catch { case e: Throwable => end.close(); throw e }
  }

  /** The part as the record has it, or as a new one begins. */
  private final case class Before(
      openedAtMillis: Long,
      writtenAtMillis: Long,
      records: Long,
      owner: Option[RunId],
      handle: Option[Resume],
      beside: Beside,
      times: Option[TimeRange],
      firstEventTimeMillis: Option[Long]
  )
}
