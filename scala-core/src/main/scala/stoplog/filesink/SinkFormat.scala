// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import java.io.{ByteArrayOutputStream, IOException, OutputStream, UncheckedIOException}

import scala.util.control.NonFatal

import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.InternalRow

import stoplog.bucket.{BucketId, DataColumns}
import stoplog.commit._
import stoplog.compact.Compactor
import stoplog.compact.job.SparkCompactionRunner
import stoplog.error.{Errors, StoplogException}
import stoplog.fault.Faults
import stoplog.format.{Encoder, RowCompactor, RowFormats}
import stoplog.format.bulk.{BulkParts, BulkSink, PartLife, SyncedFormat, SyncedParts}
import stoplog.format.compress.Compression
import stoplog.options.CompactionOptions
import stoplog.part.{PartNaming, Pending, RunId, Spooled}
import stoplog.storage.SpoolFiles
import stoplog.thread.Clock
import stoplog.util.UserObject
import stoplog.writing.{BadRow, Member, OnBadRow, PartBuffer, PartEncoder, PartFormat, RowPartEncoder}

/** The format of a sink's parts, which converts rows to bytes. Serialized to the executors. */
private[stoplog] sealed trait SinkFormat extends Serializable {

  /** Returns the suffix of part names. */
  def suffix: String

  /** Opens the format for one task, or for one part finished by the driver. */
  def open(spoolFiles: SpoolFiles): PartFormat[InternalRow]

  /** Returns the format for parts that all end with their epoch. */
  def ofOneEpoch: SinkFormat

  /** Returns the properties that a part's header fixes for all following bytes, beyond the sink's options and
    * columns. A run may resume the part only with the same properties. Empty if the header has no such
    * properties, or if a spooled file describes each open part.
    */
  def promised: String = ""

  /** Returns whether a part can stay open at the end of an epoch. */
  def mayStayOpen: Boolean = true
}

private[stoplog] object SinkFormat {

  /** Encodes each row immediately. */
  final case class Rows(
      encoder: Encoder,
      compression: Compression,
      columns: DataColumns,
      onBadRow: OnBadRow
  ) extends SinkFormat {
    override def suffix: String = encoder.suffix + compression.suffix

    override def open(spoolFiles: SpoolFiles): PartFormat[InternalRow] =
      new EncoderFormat(encoder, compression, columns, onBadRow)

    override def ofOneEpoch: SinkFormat = this
  }

  /** Encodes rows in blocks, which end at the latest with their epoch. */
  final case class Synced(format: SyncedFormat, columns: DataColumns) extends SinkFormat {
    override def suffix: String   = format.suffix
    override def promised: String = format.promised

    override def open(spoolFiles: SpoolFiles): PartFormat[InternalRow] = {
      format.open(columns.schema)
      new SyncedParts(format, columns.newProjection())
    }

    override def ofOneEpoch: SinkFormat = this
  }

  /** Encodes blocks of many rows, independent of epochs. */
  final case class Blocks(bulk: BulkSink, columns: DataColumns, onBadRow: OnBadRow) extends SinkFormat {
    override def suffix: String       = bulk.format.suffix
    override def mayStayOpen: Boolean = bulk.format.mayKeepRows

    override def open(spoolFiles: SpoolFiles): PartFormat[InternalRow] = {
      bulk.format.open(bulk.schema)
      new BulkParts(bulk, columns.newProjection(), spoolFiles, onBadRow)
    }

    override def ofOneEpoch: SinkFormat = copy(bulk = bulk.copy(life = PartLife.OneEpoch))
  }
}

/** Adapts an encoder and a compression to the commit protocol. For one task. */
private[stoplog] final class EncoderFormat(
    encoder: Encoder,
    compression: Compression,
    columns: DataColumns,
    onBadRow: OnBadRow
) extends PartFormat[InternalRow] {
  private[this] val rows    = if (columns.areAll) encoder else new EncoderFormat.OfColumns(encoder, columns)
  private[this] var scratch = new ByteArrayOutputStream()

  encoder.open(columns.schema)

  override def begin(name: String, end: PartBuffer): PartEncoder[InternalRow] =
    new EncodedPart(end, RowPartEncoder.Empty)

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[InternalRow] =
    new EncodedPart(end, RowPartEncoder.Started)

  private final class EncodedPart(end: PartBuffer, from: RowPartEncoder.Content)
      extends RowPartEncoder[InternalRow](end, from) {

    override protected def start(out: OutputStream): Unit = encoder.begin(out)

    override protected def encode(row: InternalRow, out: OutputStream): Unit = onBadRow match {
      case OnBadRow.Fail   => straight(row, out)
      case OnBadRow.Reject => whole(row, out)
    }

    override protected def openMember(out: OutputStream): Option[Member] = compression match {
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

  /** Encodes directly. Rethrows these exceptions, which may come from the part's storage. */
  private def straight(row: InternalRow, out: OutputStream): Unit =
    try rows.encode(row, out)
    catch {
      case e @ (_: IOException | _: UncheckedIOException | _: StoplogException) => throw e
      case NonFatal(e)                                                          => throw new BadRow(e)
    }

  /** Encodes to a buffer, so that no bytes of a bad row reach the part or its compressor. */
  private def whole(row: InternalRow, out: OutputStream): Unit = {
    if (scratch.size > EncoderFormat.MostKeptBytes) scratch = new ByteArrayOutputStream() else scratch.reset()
    BadRow.unless(rows.encode(row, scratch))
    scratch.writeTo(out)
  }
}

private object EncoderFormat {

  /** Encodes some columns of the rows. For one task. */
  private final class OfColumns(encoder: Encoder, columns: DataColumns) extends Encoder {
    private[this] val project = columns.newProjection()

    override def encode(row: InternalRow, out: OutputStream): Unit = {
      encoder match {
        case generated: RowFormats.GeneratedEncoder[_] => generated.refuseLarge(row)
        case _                                         => ()
      }
      encoder.encode(project(row), out)
    }
  }

  private final val MostKeptBytes = 1 << 20
}

/** The compaction of a sink's small parts. */
private[stoplog] final case class CompactionSpec(policy: CompactionPolicy, compactor: Compactor) {

  def of(run: RunId, sink: FileSinkSpec, context: SparkContext): Compaction = new SmallParts(
    run,
    SmallParts
      .Choice(policy, sink.parts.naming, isData(sink.parts.naming, sink.rows.rejects.map(_.directory))),
    new SparkCompactionRunner(context, sink.storage, compactor),
    sink.storage.finished,
    () => ReplacingJobs.of(sink.storage, DriverTools.ofThisJvm).underWay.isEmpty,
    Clock.system,
    Faults.ofThisJvm
  )

  /** Excludes rejected rows, which stay in the files of their epochs. */
  private def isData(naming: PartNaming, rejected: Option[String])(part: Pending): Boolean =
    part.name.endsWith(naming.suffix) &&
      !rejected.exists(BucketId.isUnder(_, part.bucket))
}

private[stoplog] object CompactionSpec {

  /** Errors: `STOPLOG_INVALID_OPTIONS` if files cannot be compacted, `STOPLOG_USER_CODE`. */
  def of(choice: CompactionOptions, format: SinkFormat): CompactionSpec = {
    if (!format.mayStayOpen) throw Errors.invalidOptions(Seq(Encrypted))
    val compactor = choice.compactor match {
      case Some(reference) => UserObject.load(reference, classOf[Compactor], "compactor")
      case None            => compactorOf(format)
    }
    CompactionSpec(choice.policy, compactor)
  }

  private def compactorOf(format: SinkFormat): Compactor = format match {
    case SinkFormat.Rows(encoder, compression, _, _) => RowCompactor(encoder, compression)
    case SinkFormat.Synced(synced, _)                => synced.compactor.getOrElse(throw noCompactor)
    case SinkFormat.Blocks(bulk, _, _)               => bulk.format.compactor.getOrElse(throw noCompactor)
  }

  private def noCompactor = Errors.invalidOptions(Seq(CompactionOptions.NoCompactor))

  private final val Encrypted =
    "compaction = 'smallParts' cannot compact encrypted files: the encryption of a page depends on its " +
      "file and position. Set compaction to none."
}
