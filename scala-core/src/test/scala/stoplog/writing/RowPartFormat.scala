// SPDX-License-Identifier: Apache-2.0
package stoplog.writing

import java.io.OutputStream

import stoplog.part.Spooled

/** A format of a test's own, of one object: [[RowPartEncoder]] for all parts. */
trait RowPartFormat[-R] extends PartFormat[R] { format =>
  def start(out: OutputStream): Unit
  def encode(row: R, out: OutputStream): Unit
  def openMember(out: OutputStream): Option[Member]

  final override def begin(name: String, end: PartBuffer): PartEncoder[R] =
    new Rows(end, RowPartEncoder.Empty)

  final override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[R] =
    new Rows(end, RowPartEncoder.Started)

  private final class Rows(end: PartBuffer, from: RowPartEncoder.Content)
      extends RowPartEncoder[R](end, from) {
    override protected def start(out: OutputStream): Unit                = format.start(out)
    override protected def encode(row: R, out: OutputStream): Unit       = format.encode(row, out)
    override protected def openMember(out: OutputStream): Option[Member] = format.openMember(out)
  }
}
