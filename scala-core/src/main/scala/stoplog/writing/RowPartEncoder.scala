// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.io.OutputStream

/** Encodes the rows of one part in a format that writes each row immediately: nothing is ever spooled.
  *
  * The bytes between [[openMember]] and the member's `finish` are independent, so that a part can be cut back
  * to any point between two members.
  *
  * @param from whether the part already has its header
  */
private[stoplog] abstract class RowPartEncoder[-R](end: PartBuffer, from: RowPartEncoder.Content)
    extends PartEncoder[R] {
  private[this] var member: Option[Member] = None
  private[this] var target: OutputStream   = end

  /** Writes the header of a part. */
  protected def start(out: OutputStream): Unit

  /** Appends one row. */
  protected def encode(row: R, out: OutputStream): Unit

  /** Starts a compressed member on `out`; `None` for formats without compression. */
  protected def openMember(out: OutputStream): Option[Member]

  override def begin(): Unit = {
    member = openMember(end)
    target = member.fold(end: OutputStream)(_.stream)
    if (from == RowPartEncoder.Empty) start(target)
  }

  override def append(row: R): Unit = encode(row, target)

  /** Excludes bytes that a compressor still buffers. */
  override def sizeBytes: Long = end.position

  /** Ends the member with the epoch, so that the part can be cut back to this point as a valid file. */
  override def pause(): Unflushed = {
    member.foreach(_.finish())
    member = None
    Unflushed.nothing
  }

  override def finish(): Unit = {
    pause()
    ()
  }

  override def close(): Unit = member.foreach(_.close())
}

private[stoplog] object RowPartEncoder {

  /** Whether the part already has its header. */
  sealed trait Content
  case object Empty   extends Content
  case object Started extends Content
}

/** A compressed member or frame. */
private[stoplog] trait Member {

  /** Returns the stream for uncompressed bytes. */
  def stream: OutputStream

  /** Ends the member and passes all bytes to the stream below, which stays open. */
  def finish(): Unit

  /** Releases the compressor, and abandons unfinished bytes. */
  def close(): Unit
}
