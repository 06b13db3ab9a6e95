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

  final override def begin(name: String, end: PartEnd): PartBody[R] = new RowBody(this, end, RowBody.Empty)

  final override def resume(name: String, end: PartEnd, beside: Beside): PartBody[R] =
    new RowBody(this, end, RowBody.Started)
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

private final class RowBody[R](format: RowFormat[R], end: PartEnd, from: RowBody.Content)
    extends PartBody[R] {
  private[this] var member: Option[Member] = None
  private[this] var target: OutputStream   = end
  private[this] var inMember               = false
  private[this] var content                = from

  override def append(row: R): Unit = {
    if (!inMember) openMember()
    format.encode(row, target)
  }

  /** What a compressor still holds back is not counted. */
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
    if (content == RowBody.Empty) {
      format.start(target)
      content = RowBody.Started
    }
  }
}

private object RowBody {

  /** Whether the part has what it starts with. */
  sealed trait Content
  case object Empty   extends Content
  case object Started extends Content
}
