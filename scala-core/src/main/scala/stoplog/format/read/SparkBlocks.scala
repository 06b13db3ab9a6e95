// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{FileFormat => SparkFormat, PartitionedFile}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.StructType

import stoplog.format.bulk.SessionConfiguration

import stoplog.source.{RecordEmitter, RowOutput, SplitReader}
import stoplog.source.file._
import stoplog.storage.{SourceFile, SourceFiles}

/** Files that Spark's own readers read, a piece at a time: each piece has the row groups, stripes or blocks that begin in
  * it, or whose middle is there; Spark's readers see to that, and every row is in one piece.
  *
  * @param read     made by Spark on the driver, and sent to the tasks
  * @param cutting  whether the files can be cut
  * @param columns  what becomes of the rows that are read
  * @param values   of the columns that directories tell, for a file
  */
private[stoplog] final class SparkBlocks private (
    val vectors: Vectors,
    read: PartitionedFile => Iterator[InternalRow],
    cutting: Cutting,
    columns: SparkBlocks.Columns,
    values: SparkBlocks.Values
) extends FileFormat[BlockRecord, InternalRow] {

  override def framing(files: SourceFiles): FileSplitter = cutting match {
    case Cutting.At(blocks)  => new Blocks(files, blocks)
    case Cutting.Never(rows) => WholeFiles(rows)
  }

  override def reader(files: SourceFiles, onMissing: OnMissingFile): SplitReader[FileSplit, BlockRecord] =
    new SparkBlockReader(files, read, values, onMissing)

  override def emitter(): RecordEmitter[BlockRecord, InternalRow] = columns.emitter
}

/** Whether a format's reader hands out rows, or batches of columns. */
private[stoplog] sealed trait Vectors
private[stoplog] object Vectors {
  case object Rows    extends Vectors
  case object Columns extends Vectors
}

private[stoplog] object SparkBlocks {

  // A batch of rows goes the same way as a row: to all but the reader at the end, they are the same.
  private val plain: RecordEmitter[BlockRecord, InternalRow] =
    (record: BlockRecord, out: RowOutput[InternalRow]) => out.asInstanceOf[RowOutput[Any]].put(record.row)

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

    /** Whether rows are what is wanted as they are read: batches of columns can be no other. */
    def isAsRead: Boolean = metadata.isEmpty && read.fieldNames.sameElements(data.fieldNames)

    def emitter: RecordEmitter[BlockRecord, InternalRow] = {
      val made = StructType(data.fields ++ read.filter(_ == FileMetadata.RowIndex))
      val rows = LocatedColumns.arranged(read, made, plain)
      FileBlock.told(metadata.fold(rows)(FileMetadata.emitter(_, made, rows)))
    }
  }

  /** @param columns     that there are
    * @param wanted      those of them that the query wants
    * @param filters     that no row outside of the blocks that are left out passes
    * @param directories which of the columns the names of directories tell
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
      SessionConfiguration(session, options)
    )
    val cutting = Cutting.of(name, options)
    new SparkBlocks(vectors, reading(made, cutting), cutting, rows, new Values(directories, told))
  }

  /** Without a byte there is no header or footer, and no row. */
  private def reading(made: Read, cutting: Cutting): Read = cutting match {
    case _: Cutting.Never => made
    case _: Cutting.At    => file => if (file.fileSize == 0) Iterator.empty else made(file)
  }
}
