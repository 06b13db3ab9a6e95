// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.{Closeable, IOException}
import java.net.URI

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat => SparkFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

import stoplog.format.bulk.FormatConfiguration
import stoplog.source.{Fetched, RecordEmitter, RowOutput, SplitReader}
import stoplog.source.file._
import stoplog.source.file.FileSplitter.WholeFiles
import stoplog.storage.{SourceFile, SourceFiles}

/** Files that Spark's own readers read, a piece at a time: each piece has the row groups, stripes or blocks that begin in
  * it, or whose middle is there; Spark's readers see to that, and every row is in one piece.
  *
  * @param read     made by Spark on the driver, and sent to the tasks
  * @param splittable the places at which files can be cut
  * @param columns  that are read, and those that are wanted
  * @param values   of the columns that directories tell, for a file
  */
private[stoplog] final class SparkBlocks private (
    val vectors: SparkBlocks.Vectors,
    read: PartitionedFile => Iterator[InternalRow],
    splittable: BlockIndexes.Splittable,
    columns: SparkBlocks.Columns,
    values: SparkBlocks.Values
) extends FileFormat[SparkBlocks.SparkBlockReader.BlockRecord, InternalRow] {
  import SparkBlocks.SparkBlockReader

  override def framing(files: SourceFiles): FileSplitter = splittable match {
    case BlockIndexes.Splittable.At(blocks)  => new Blocks(files, blocks)
    case BlockIndexes.Splittable.Never(rows) => WholeFiles(rows)
  }

  override def reader(
      files: SourceFiles,
      onMissing: OnMissingFile,
      onChanged: Monitoring.OnChangedFile
  ): SplitReader[FileSplit, SparkBlockReader.BlockRecord] =
    new SparkBlockReader(files, read, values, onMissing, onChanged)

  override def emitter(): RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] = columns.emitter
}

private[stoplog] object SparkBlocks {

  // A batch of rows goes the same way as a row: to all but the reader at the end, they are the same.
  private val plain: RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] =
    (record: SparkBlockReader.BlockRecord, out: RowOutput[InternalRow]) =>
      out.asInstanceOf[RowOutput[Any]].put(record.row)

  private type Read = PartitionedFile => Iterator[InternalRow]

  /** The columns of a file that directories tell, where a reader of Spark's puts them: behind all others. */
  final class Values(directories: DirectoryColumns, told: StructType) extends Serializable {
    def of(file: SourceFile, fileName: String): InternalRow = {
      directories.check(file, fileName)
      if (directories.isEmpty) InternalRow.empty else directories.values(file, fileName, told)
    }
  }

  /** @param read     in the order in which a reader of Spark's has them
    * @param data     in the order in which they are wanted
    * @param metadata all that are wanted, where the metadata are among them
    */
  final case class Columns(read: StructType, data: StructType, metadata: Option[StructType]) {

    /** Whether the read columns are the wanted ones, in their order: batches of columns can be no other. */
    def isAsRead: Boolean = metadata.isEmpty && read.fieldNames.sameElements(data.fieldNames)

    def emitter: RecordEmitter[SparkBlockReader.BlockRecord, InternalRow] = {
      val made = StructType(data.fields ++ read.filter(_ == FileMetadata.RowIndex))
      val rows = LocatedColumns.arranged(read, made, plain)
      LocatedColumns.FileBlock.told(metadata.fold(rows)(FileMetadata.emitter(_, made, rows)))
    }
  }

  /** @param columns     that there are
    * @param wanted      those of them that the query wants
    * @param filters     that no row outside of the blocks that are left out passes
    * @param directories the columns that the names of directories tell
    */
  def of(
      name: SourceFormatName.Blocks,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter],
      options: Map[String, String],
      directories: DirectoryColumns
  ): SparkBlocks = {
    val session = SparkSession.active
    val format  = SparkFormats.of(name)
    val data    = FileMetadata.without(columns, wanted)
    val index   = Option.when(
      name == SourceFormatName.Parquet && FileMetadata.isRowIndexWanted(columns, wanted)
    )(FileMetadata.RowIndex)
    val inFiles = StructType(directories.without(data).fields ++ index)
    val told    = directories.in(data)
    val rows    = Columns(
      StructType(inFiles.fields ++ told.fields),
      data,
      Option.when(FileMetadata.isWanted(columns, wanted))(wanted)
    )
    val vectors =
      if (rows.isAsRead && format.supportBatch(session, rows.read)) Vectors.Columns else Vectors.Rows
    val made = format.buildReaderWithPartitionValues(
      session,
      directories.without(columns),
      told,
      inFiles,
      filters.filterNot(_.references.exists(directories.has)),
      options + (SparkFormat.OPTION_RETURNING_BATCH -> (vectors == Vectors.Columns).toString),
      FormatConfiguration.of(session, options)
    )
    val splittable = BlockIndexes.Splittable.of(name, options)
    new SparkBlocks(vectors, reading(made, splittable), splittable, rows, new Values(directories, told))
  }

  /** Takes a file without a byte for one without rows: it has no header or footer. */
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

  /** Reads pieces of files by a reader of Spark's. */
  private[read] final class SparkBlockReader(
      files: SourceFiles,
      read: PartitionedFile => Iterator[InternalRow],
      values: SparkBlocks.Values,
      onMissing: OnMissingFile,
      onChanged: Monitoring.OnChangedFile
  ) extends FileByFile[SparkBlockReader.Open, SparkBlockReader.BlockRecord](files, onMissing, onChanged) {
    import SparkBlockReader.BlockRecord

    /** Readers of Parquet and ORC go by the footer at the end, in all pieces. */
    override protected def growsAtItsEnd: Boolean = false

    override protected def begin(split: FileSplit): SparkBlockReader.Open = {
      split.file.storedBytes.foreach { stored =>
        throw new IOException(
          s"a valid-length file says that ${split.file.bytes} of its $stored bytes count, and Spark's reader of this format reads all"
        )
      }
      new SparkBlockReader.Open(read(partitioned(split)))
    }

    override protected def hasMore(open: SparkBlockReader.Open): Boolean = open.all.hasNext

    override protected def records(
        split: FileSplit,
        open: SparkBlockReader.Open
    ): Fetched.Records[FileSplit, BlockRecord] = new Records(split, open.all)

    override protected def position(split: FileSplit, open: Option[SparkBlockReader.Open]): String =
      split.extent.toString

    // Spark tells of any trouble in words of its own, and what happened is behind them.
    override protected def told(causes: Seq[Throwable]): Throwable = causes.last

    private def partitioned(split: FileSplit): PartitionedFile = {
      val (from, until) = split.extent match {
        case Extent.Bytes(from, until) => (from, until)
        case _: Extent.Records         => (0L, split.file.bytes)
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

    /** Hands out a limited number of records, so that a caller that wakes the reader need not wait for the whole file. */
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

      /** None: only Spark's own reader knows where it is. */
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

    /** Spark's iterators are of rows by their type, and maybe of batches; and some hold a file. */
    final class Open(rows: Iterator[InternalRow]) extends AutoCloseable {
      val all: Iterator[Any] = rows

      override def close(): Unit = rows match {
        case closeable: Closeable => closeable.close()
        case _                    => ()
      }
    }

    /** A record of Spark's own reader. */
    private[read] trait BlockRecord extends Located {

      /** A row, or a batch of them. */
      def row: Any
    }
  }
}
