// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.io.OutputStream

import stoplog.part.Beside

/** A format that hands each row on at once: nothing is ever kept beside a part.
  *
  * Bytes between [[openMember]] and the member's `finish` stand on their own, so that a part can be cut back to any
  * point between two members.
  */
trait RowFormat[-R] extends PartFormat[R] {

  /** Writes what a part starts with. */
  def start(out: OutputStream): Unit

  /** Appends one row. */
  def encode(row: R, out: OutputStream): Unit

  /** Starts a compressed member on `out`; `None` for formats that are not compressed. */
  def openMember(out: OutputStream): Option[Member]

  final override def begin(name: String, end: PartBuffer): PartEncoder[R] =
    new RowPartEncoder(this, end, RowPartEncoder.Empty)

  final override def resume(name: String, end: PartBuffer, beside: Beside): PartEncoder[R] =
    new RowPartEncoder(this, end, RowPartEncoder.Started)
}

/** A compressed member or frame. */
trait Member {

  /** Takes the uncompressed bytes. */
  def stream: OutputStream

  /** Ends the member and hands all of it to the stream below, which stays open. */
  def finish(): Unit

  /** Frees what the compressor holds; what was not finished is given up. */
  def close(): Unit
}

private final class RowPartEncoder[R](format: RowFormat[R], end: PartBuffer, from: RowPartEncoder.Content)
    extends PartEncoder[R] {
  private[this] var member: Option[Member] = None
  private[this] var target: OutputStream   = end
  private[this] var inMember               = false
  private[this] var content                = from

  override def append(row: R): Unit = {
    if (!inMember) openMember()
    format.encode(row, target)
  }

  /** Bytes that a compressor still buffers are not counted. */
  override def sizeBytes: Long = end.position

  /** A member ends with the epoch, so that the part can be cut back to this point and stay a valid file. */
  override def pause(): Leftover = {
    member.foreach(_.finish())
    member = None
    inMember = false
    Leftover.nothing
  }

  override def finish(): Unit = {
    pause()
    ()
  }

  override def close(): Unit = member.foreach(_.close())

  private def openMember(): Unit = {
    member = format.openMember(end)
    target = member.fold(end: OutputStream)(_.stream)
    inMember = true
    if (content == RowPartEncoder.Empty) {
      format.start(target)
      content = RowPartEncoder.Started
    }
  }
}

private object RowPartEncoder {

  /** Whether the part has what it starts with. */
  sealed trait Content
  case object Empty   extends Content
  case object Started extends Content
}
