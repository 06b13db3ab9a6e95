// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{Closeable, IOException}
import java.net.URI
import java.nio.file.Files

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat => SparkFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import stoplog.error.Errors
import stoplog.format.bulk.FormatConfiguration
import stoplog.source.{Fetched, RecordEmitter, RowOutput, SplitReader}
import stoplog.source.file._
import stoplog.source.file.FileSplitter.WholeFiles
import stoplog.storage.{SourceFile, SourceFiles}

/** Files read by Spark's own readers, a piece at a time. A piece has the row groups, stripes or blocks whose
  * start or middle is in the piece. Spark's readers ensure this, so each row is in exactly one piece.
  *
  * @param read     created by Spark on the driver and sent to the tasks
  * @param splittable the positions at which files can be cut
  * @param columns  the columns read, and the columns of the query
  * @param values   the values of directory columns, for a file
  * @param zone     the time zone of `read`, if values in the files depend on a time zone
  */
private[stoplog] final class SparkBlocks private (
    val vectors: SparkBlocks.Vectors,
    read: PartitionedFile => Iterator[InternalRow],
    splittable: BlockIndexes.Splittable,
    columns: SparkBlocks.Columns,
    values: SparkBlocks.Values,
    zone: Option[String]
) extends FileFormat[SparkBlocks.SparkBlockReader.BlockRecord, InternalRow] {
  import SparkBlocks.SparkBlockReader

  override def splitter(files: SourceFiles): FileSplitter = splittable match {
    case BlockIndexes.Splittable.At(blocks, _) => new Blocks(files, blocks)
    case BlockIndexes.Splittable.Never(rows)   => WholeFiles(rows)
  }

  override def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, SparkBlockReader.BlockRecord] =
    new SparkBlockReader(files, read, values, zone, onMissing, monitoring, BlockIndexes.Mending.None)

  override def unitReader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      monitoring: Monitoring
  ): SplitReader[FileSplit, SparkBlockReader.BlockRecord] =
    new SparkBlockReader(files, read, values, zone, onMissing, monitoring, splittable.mending)

  override def emitter(): RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] = columns.emitter
}

private[stoplog] object SparkBlocks {

  // A batch of rows is passed like a row. Only the final reader distinguishes rows and batches.
  private val plain: RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] =
    (record: SparkBlockReader.BlockRecord, out: RowOutput[InternalRow]) =>
      out.asInstanceOf[RowOutput[Any]].put(record.row)

  private type Read = PartitionedFile => Iterator[InternalRow]

  /** The values of a file's directory columns, in the position expected by Spark's readers: after all other
    * columns.
    */
  final class Values(directories: DirectoryColumns, inDirectories: StructType) extends Serializable {
    def of(file: SourceFile, fileName: String): InternalRow = {
      directories.check(file, fileName)
      if (directories.isEmpty) InternalRow.empty else directories.values(file, fileName, inDirectories)
    }
  }

  /** @param read     in the order of Spark's reader
    * @param data     in the order of the query
    * @param metadata all columns of the query, if the query reads metadata
    */
  final case class Columns(read: StructType, data: StructType, metadata: Option[StructType]) {

    /** Whether the columns are read in the order of the query. Batches of columns require this. */
    def isAsRead: Boolean = metadata.isEmpty && read.fieldNames.sameElements(data.fieldNames)

    def emitter: RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] = {
      val made = StructType(data.fields ++ read.filter(_ == FileMetadata.RowIndex))
      val rows = LocatedColumns.arranged(read, made, plain)
      LocatedColumns.FileBlock.reporting(metadata.fold(rows)(FileMetadata.emitter(_, made, rows)))
    }
  }

  /** @param columns     the existing columns
    * @param wanted      the columns of the query
    * @param filters     that no row outside the remaining blocks passes
    * @param directories the columns from the names of directories
    */
  def of(
      name: SourceFormatName.Blocks,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter],
      settings: SourceFormatName.ReadSettings,
      directories: DirectoryColumns
  ): SparkBlocks = {
    val options = SparkFormats.options(name, settings.options)
    val session = SparkSession.active
    val format  = SparkFormats.of(name)
    val data    = FileMetadata.without(columns, wanted)
    val index   = Option.when(
      name == SourceFormatName.Parquet && FileMetadata.isRowIndexWanted(columns, wanted)
    )(FileMetadata.RowIndex)
    val inFiles       = StructType(directories.without(data).fields ++ index)
    val inDirectories = directories.in(data)
    val rows          = Columns(
      StructType(inFiles.fields ++ inDirectories.fields),
      data,
      Option.when(FileMetadata.isWanted(columns, wanted))(wanted)
    )
    val vectors =
      if (isBatchWanted(options) && rows.isAsRead && format.supportBatch(session, rows.read)) Vectors.Columns
      else Vectors.Rows
    val made = format.buildReaderWithPartitionValues(
      session,
      directories.without(columns),
      inDirectories,
      inFiles,
      filters.filterNot(_.references.exists(directories.has)),
      options + (SparkFormat.OPTION_RETURNING_BATCH -> (vectors == Vectors.Columns).toString),
      FormatConfiguration.of(session, options)
    )
    val splittable = BlockIndexes.Splittable.of(name, options)
    new SparkBlocks(
      vectors,
      reading(made, splittable),
      splittable,
      rows,
      new Values(directories, inDirectories),
      Option.when(settings.dependsOnZone(directories.without(columns)))(settings.zone)
    )
  }

  /** An option that makes the reader return single rows, instead of batches of columns. */
  val SingleRows: (String, String) = SparkFormat.OPTION_RETURNING_BATCH -> "false"

  private def isBatchWanted(options: Map[String, String]): Boolean =
    !options.get(SingleRows._1).contains(SingleRows._2)

  /** Treats an empty file as a file without rows, because an empty file has no header or footer. */
  private def reading(made: Read, splittable: BlockIndexes.Splittable): Read = splittable match {
    case _: BlockIndexes.Splittable.Never => made
    case _: BlockIndexes.Splittable.At    => file => if (file.fileSize == 0) Iterator.empty else made(file)
  }

  /** The output of a format's reader: rows, or batches of columns. */
  sealed trait Vectors

  object Vectors {
    case object Rows    extends Vectors
    case object Columns extends Vectors
  }

  /** Reads pieces of files by one of Spark's readers. */
  private[read] final class SparkBlockReader(
      files: SourceFiles,
      read: PartitionedFile => Iterator[InternalRow],
      values: SparkBlocks.Values,
      zone: Option[String],
      onMissing: OnMissingFile,
      monitoring: Monitoring,
      mending: BlockIndexes.Mending
  ) extends FileByFile[SparkBlockReader.Open, SparkBlockReader.BlockRecord](files, onMissing, monitoring) {
    import SparkBlockReader.BlockRecord

    /** Readers of Parquet and ORC use the footer at the end, in all pieces. */
    override protected def growsAtItsEnd: Boolean = false

    override protected def begin(split: FileSplit): SparkBlockReader.Open = {
      split.file.storedBytes.foreach { stored =>
        throw new IOException(
          s"a valid-length file limits the file to ${split.file.bytes} of its $stored bytes, and Spark's " +
            "reader of this format reads all bytes"
        )
      }
      refuseOtherZone(split.file)
      mending.of(files, split) match {
        case None         => new SparkBlockReader.Open(read(partitioned(split)), None)
        case Some(mended) => new SparkBlockReader.Open(read(partitioned(split, mended)), Some(mended))
      }
    }

    /** Spark's reader has one time zone for all files. */
    private def refuseOtherZone(file: SourceFile): Unit =
      for {
        own     <- zone
        planned <- file.zone if planned != own
      }
        throw Errors.sourceFileSettings(
          files.describe(file.path),
          s"the file was planned in the time zone $planned, and the time zone of this query is $own: set " +
            s"timeZone to $planned",
          null
        )

    override protected def hasMore(open: SparkBlockReader.Open): Boolean = open.all.hasNext

    override protected def records(
        split: FileSplit,
        open: SparkBlockReader.Open
    ): Fetched.Records[FileSplit, BlockRecord] = new Records(split, open.all)

    override protected def position(split: FileSplit, open: Option[SparkBlockReader.Open]): String =
      split.extent.toString

    // Spark wraps each failure in its own exception, so the last cause is the actual failure.
    override protected def reportedCause(causes: Seq[Throwable]): Throwable = causes.last

    private def partitioned(split: FileSplit): PartitionedFile = {
      // A whole file has all its blocks, also if a program has written more blocks since the listing.
      // Avro's reader adds to the length, so the length is not the maximum.
      val (from, until) = split.extent match {
        case _: Extent.Bytes if split.isFirst && split.isLast => (0L, Long.MaxValue / 2)
        case Extent.Bytes(from, until)                        => (from, until)
        case _: Extent.Records                                => (0L, split.file.bytes)
      }
      PartitionedFile(
        values.of(split.file, files.describe(split.file.path)),
        SparkPath.fromPath(new HadoopPath(files.locate(split.file.path))),
        from,
        until - from,
        Array.empty,
        split.file.modifiedMillis,
        split.file.bytes
      )
    }

    private def partitioned(split: FileSplit, mended: BlockIndexes.MendedUnit): PartitionedFile = {
      val bytes = Files.size(mended.copy)
      partitioned(split).copy(
        filePath = SparkPath.fromPath(new HadoopPath(mended.copy.toUri)),
        start = 0,
        length = bytes,
        fileSize = bytes
      )
    }

    /** Returns a limited number of records, so that a thread can wake the reader before the end of the file.
      */
    private final class Records(override val split: FileSplit, all: Iterator[Any])
        extends Fetched.Records[FileSplit, BlockRecord]
        with BlockRecord {
      private var left         = SparkBlockReader.AtOnce
      private var current: Any = _

      override def advance(): Boolean = left > 0 && moved() && {
        left -= 1
        true
      }

      override def record: BlockRecord = this

      override def row: Any               = current
      override def fileName: String       = files.describe(split.file.path)
      override def location: URI          = files.locate(split.file.path)
      override def position: Option[Long] = None

      override def rows: Long = current match {
        case batch: ColumnarBatch => batch.numRows.toLong
        case _                    => 1
      }

      /** `None`, because only Spark's own reader knows the position. */
      override def rest: Option[FileSplit] = None

      private def moved(): Boolean = guarded(split)(
        all.hasNext && {
          current = all.next()
          true
        },
        leftOut = false
      )
    }
  }

  private[read] object SparkBlockReader {
    final val AtOnce = 4096

    /** Spark's iterators are typed as rows but may return batches. Some iterators hold an open file. */
    final class Open(rows: Iterator[InternalRow], mended: Option[BlockIndexes.MendedUnit])
        extends AutoCloseable {
      val all: Iterator[Any] = mended.flatMap(_.failure).fold[Iterator[Any]](rows) { failure =>
        rows ++ Iterator.continually[Any](throw failure)
      }

      override def close(): Unit =
        try
          rows match {
            case closeable: Closeable => closeable.close()
            case _                    => ()
          }
        finally mended.foreach(_.close())
    }

    /** A record of Spark's own reader. */
    private[read] trait BlockRecord extends Located {

      /** A row, or a batch of rows. */
      def row: Any
    }
  }
}
