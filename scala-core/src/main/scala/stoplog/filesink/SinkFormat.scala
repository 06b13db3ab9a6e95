// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.io.{ByteArrayOutputStream, IOException, OutputStream, UncheckedIOException}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.OnBadRow
import stoplog.bucket.DataColumns
import stoplog.commit.{BadRow, Member, PartFormat, RowFormat}
import stoplog.error.StoplogException
import stoplog.format.Encoder
import stoplog.format.bulk.{BulkParts, BulkSink, PartLife, SyncedFormat, SyncedParts}
import stoplog.format.compress.Compression

import stoplog.storage.SpoolFiles

/** How a sink's rows become the bytes of its parts. Goes to the executors. */
private[stoplog] sealed trait SinkFormat extends Serializable {

  /** The end of the name of a part. */
  def suffix: String

  /** For one task, or one part that the driver ends. */
  def open(sides: SpoolFiles): PartFormat[InternalRow]

  /** The same for parts that all end with their epoch. */
  def ofOneEpoch: SinkFormat

  /** Whether a part can be left open at the end of an epoch. */
  def mayStayOpen: Boolean = true
}

private[stoplog] object SinkFormat {

  /** Row by row, at once. */
  final case class Rows(
      encoder: Encoder,
      compression: Compression,
      columns: DataColumns,
      onBadRow: OnBadRow
  ) extends SinkFormat {
    override def suffix: String = encoder.suffix + compression.suffix

    override def open(sides: SpoolFiles): PartFormat[InternalRow] =
      new EncoderFormat(encoder, compression, columns, onBadRow)

    override def ofOneEpoch: SinkFormat = this
  }

  /** In blocks that end with their epoch, if not before. */
  final case class Synced(format: SyncedFormat, columns: DataColumns) extends SinkFormat {
    override def suffix: String = format.suffix

    override def open(sides: SpoolFiles): PartFormat[InternalRow] = {
      format.open(columns.schema)
      new SyncedParts(format, columns.newProjection())
    }

    override def ofOneEpoch: SinkFormat = this
  }

  /** In blocks of many rows, whatever the epochs. */
  final case class Blocks(bulk: BulkSink, columns: DataColumns, onBadRow: OnBadRow) extends SinkFormat {
    override def suffix: String       = bulk.format.suffix
    override def mayStayOpen: Boolean = bulk.format.mayKeepRows

    override def open(sides: SpoolFiles): PartFormat[InternalRow] = {
      bulk.format.open(bulk.schema)
      new BulkParts(bulk, columns.newProjection(), sides, onBadRow)
    }

    override def ofOneEpoch: SinkFormat = copy(bulk = bulk.copy(life = PartLife.OneEpoch))
  }
}

/** An encoder and a compression as the commit protocol sees them. For one task. */
private[stoplog] final class EncoderFormat(
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

  /** A failure may be one of the part's storage, which reports it in one of these ways. */
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
