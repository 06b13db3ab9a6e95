package stoplog.commit

import stoplog.part.{Open, Pending, RunId}
import stoplog.rolling.{PartStats, RollReason}
import stoplog.store.PartOutput

/** A part while a task writes it. Used by the task's thread, until a thread of its own makes it durable in the end. */
private[commit] final class LivePart[R](
    val bucket: String,
    val name: String,
    output: PartOutput,
    format: PartFormat[R],
    val openedAtMillis: Long,
    writtenBeforeMillis: Long,
    recordsBefore: Long
) extends PartStats {
  private[this] val buffer                 = new PartBuffer(output)
  private[this] var member: Option[Member] = None
  private[this] var target                 = buffer: java.io.OutputStream
  private[this] var inMember               = false
  private[this] var rows                   = recordsBefore
  private[this] var writtenAt              = writtenBeforeMillis

  private[this] val startBytes = output.position

  override def sizeBytes: Long           = buffer.position
  override def records: Long             = rows
  override def lastWrittenAtMillis: Long = writtenAt

  /** Bytes on the store that were not there when this task took the part. */
  def bytesAdded: Long = output.position - startBytes

  def append(row: R, nowMillis: Long): Unit = {
    if (!inMember) openMember()
    format.encode(row, target)
    rows += 1
    writtenAt = nowMillis.max(openedAtMillis) // opening took its time
  }

  /** Hands the epoch's bytes to the store and makes them durable: the part stays open. */
  def persist(slot: Int, owner: RunId): Open = {
    endMember()
    val handle = output.persist()
    Open(bucket, name, slot, handle, output.position, rows, openedAtMillis, writtenAt, Some(owner))
  }

  /** Closes the part for good. */
  def finish(reason: RollReason): Pending = {
    endMember()
    val handle = output.finish()
    Pending(bucket, name, handle, output.position, rows, openedAtMillis, writtenAt, reason)
  }

  /** Gives up: closes the file and deletes nothing (I5). */
  def close(): Unit = {
    member.foreach(_.close())
    output.close()
  }

  private def openMember(): Unit = {
    member = format.openMember(buffer)
    target = member.fold(buffer: java.io.OutputStream)(_.stream)
    inMember = true
    if (rows == 0) format.begin(target)
  }

  /** A member ends with the epoch, so that the part can be cut back to this point and stay a valid file. */
  def endMember(): Unit = {
    member.foreach(_.finish())
    member = None
    inMember = false
    buffer.flush()
  }
}
