// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{ByteArrayOutputStream, IOException, OutputStream, UncheckedIOException}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.DataColumns
import stoplog.commit.{BadRow, Member, OnBadRow, RowFormat}
import stoplog.error.StoplogException
import stoplog.format.Encoder
import stoplog.format.compress.Compression

/** An encoder and a compression as the commit protocol sees them. For one task. */
private[spark] final class EncoderFormat(
    encoder: Encoder,
    compression: Compression,
    columns: DataColumns,
    onBadRow: OnBadRow
) extends RowFormat[InternalRow] {
  private[this] val project = columns.newProjection()
  private[this] var scratch = new ByteArrayOutputStream()

  encoder.open(columns.schema)

  override def start(out: OutputStream): Unit = encoder.begin(out)

  override def encode(row: InternalRow, out: OutputStream): Unit = onBadRow match {
    case OnBadRow.Fail   => straight(row, out)
    case OnBadRow.Reject => whole(row, out)
  }

  /** What fails may be the part's storage, which says so in one of these ways. */
  private def straight(row: InternalRow, out: OutputStream): Unit =
    try encoder.encode(project(row), out)
    catch {
      case e @ (_: IOException | _: UncheckedIOException | _: StoplogException) => throw e
      case NonFatal(e)                                                          => throw new BadRow(e)
    }

  /** Nothing of a bad row must be in the part, nor in its compressor. */
  private def whole(row: InternalRow, out: OutputStream): Unit = {
    if (scratch.size > EncoderFormat.MostKeptBytes) scratch = new ByteArrayOutputStream() else scratch.reset()
    BadRow.unless(encoder.encode(project(row), scratch))
    scratch.writeTo(out)
  }

  override def openMember(out: OutputStream): Option[Member] = compression match {
    case Compression.None => None
    case other            =>
      val member = other.openMember(out)
      Some(new Member {
        override def stream: OutputStream = member
        override def finish(): Unit       = member.finish()
        override def close(): Unit        = member.close()
      })
  }
}

private object EncoderFormat {
  private final val MostKeptBytes = 1 << 20
}
