// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

/** The rows of one part in a format that hands each row on at once: nothing is ever kept beside the part.
  *
  * Bytes between [[openMember]] and the member's `finish` stand on their own, so that a part can be cut back to any
  * point between two members.
  *
  * @param from whether the part has what it starts with
  */
private[stoplog] abstract class RowPartEncoder[-R](end: PartBuffer, from: RowPartEncoder.Content)
    extends PartEncoder[R] {
  private[this] var member: Option[Member] = None
  private[this] var target: OutputStream   = end
  private[this] var inMember               = false
  private[this] var content                = from

  /** Writes what a part starts with. */
  protected def start(out: OutputStream): Unit

  /** Appends one row. */
  protected def encode(row: R, out: OutputStream): Unit

  /** Starts a compressed member on `out`; `None` for formats that are not compressed. */
  protected def openMember(out: OutputStream): Option[Member]

  override def append(row: R): Unit = {
    if (!inMember) begin()
    encode(row, target)
  }

  /** Bytes that a compressor still buffers are not counted. */
  override def sizeBytes: Long = end.position

  /** A member ends with the epoch, so that the part can be cut back to this point and stay a valid file. */
  override def pause(): Unflushed = {
    member.foreach(_.finish())
    member = None
    inMember = false
    Unflushed.nothing
  }

  override def finish(): Unit = {
    pause()
    ()
  }

  override def close(): Unit = member.foreach(_.close())

  private def begin(): Unit = {
    member = openMember(end)
    target = member.fold(end: OutputStream)(_.stream)
    inMember = true
    if (content == RowPartEncoder.Empty) {
      start(target)
      content = RowPartEncoder.Started
    }
  }
}

private[stoplog] object RowPartEncoder {

  /** Whether the part has what it starts with. */
  sealed trait Content
  case object Empty   extends Content
  case object Started extends Content
}

/** A compressed member or frame. */
private[stoplog] trait Member {

  /** Takes the uncompressed bytes. */
  def stream: OutputStream

  /** Ends the member and hands all of it to the stream below, which stays open. */
  def finish(): Unit

  /** Frees what the compressor holds; what was not finished is given up. */
  def close(): Unit
}
