// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.net.URI

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.{Extent, FileSplit, Located}

/** Adds columns that depend on the location of a row's file: directory columns and metadata. */
private[read] object LocatedColumns {

  /** @param columns the available columns
    * @param wanted  the requested columns, including the metadata
    * @param rows    creates an emitter for the given columns
    */
  def emitter[R <: Located](columns: StructType, wanted: StructType, directories: DirectoryColumns)(
      rows: StructType => RecordEmitter[R, InternalRow]
  ): RecordEmitter[R, InternalRow] = {
    val metadata = FileMetadata.isWanted(columns, wanted)
    val data     = if (metadata) FileMetadata.without(wanted) else wanted
    val inFiles  = directories.without(data)
    val made     =
      if (directories.isEmpty) rows(inFiles)
      else new WithDirectories(data, inFiles, directories, rows(inFiles))
    FileBlock.reporting(if (metadata) FileMetadata.emitter(wanted, data, made) else made)
  }

  /** Reorders the columns of an emitter's rows. */
  def arranged[R](
      from: StructType,
      wanted: StructType,
      rows: RecordEmitter[R, InternalRow]
  ): RecordEmitter[R, InternalRow] =
    if (from.fieldNames.sameElements(wanted.fieldNames)) rows
    else {
      val order = new ColumnOrder(from, wanted)
      (record, out) => rows.emit(record, row => out.put(order(row)))
    }

  /** Reorders or selects the columns of rows by name. */
  final class ColumnOrder(from: StructType, wanted: StructType) {
    private val ordinals = wanted.fieldNames.map(from.fieldIndex).toIndexedSeq
    private val isSame   = ordinals == from.indices

    /** Returns a view of the row, or the row itself if the columns are unchanged. */
    def apply(row: InternalRow): InternalRow =
      if (isSame) row
      else {
        val view = ProjectingInternalRow(wanted, ordinals)
        view.project(row)
        view
      }
  }

  private final class WithDirectories[R <: Located](
      wanted: StructType,
      inFiles: StructType,
      directories: DirectoryColumns,
      rows: RecordEmitter[R, InternalRow]
  ) extends RecordEmitter[R, InternalRow] {
    private val inDirectories = directories.in(wanted)
    private val order         = new ColumnOrder(StructType(inFiles.fields ++ inDirectories.fields), wanted)
    private var of: FileSplit = _
    private var values: InternalRow = _

    override def emit(record: R, out: stoplog.source.RowOutput[InternalRow]): Unit = {
      if (record.split ne of) {
        of = record.split
        values = directories.values(of.file, record.fileName, inDirectories)
      }
      rows.emit(record, row => out.put(order(new JoinedRow(row, values))))
    }
  }

  /** The current file, or a piece of the file, as reported by Spark's own file sources.
    *
    * @param uri of the file, escaped
    */
  final case class FileBlock(uri: String, from: Long, length: Long)

  object FileBlock {

    def of(record: Located): FileBlock = {
      val uri  = record.location
      val full = new URI(uri.getScheme, Option(uri.getAuthority).getOrElse(""), uri.getPath, null, null)
      record.split.extent match {
        case Extent.Bytes(from, until) => FileBlock(full.toString, from, until - from)
        case _: Extent.Records         => FileBlock(full.toString, 0, record.split.file.bytes)
      }
    }

    /** Reports the file of each row to `input_file_name()`. */
    def reporting[R <: Located](rows: RecordEmitter[R, InternalRow]): RecordEmitter[R, InternalRow] =
      new RecordEmitter[R, InternalRow] {
        private var of: FileSplit = _

        override def emit(record: R, out: RowOutput[InternalRow]): Unit = {
          if (record.split ne of) {
            of = record.split
            val block = FileBlock.of(record)
            InputFile.is(block.uri, block.from, block.length)
          }
          rows.emit(record, out)
        }
      }

    /** Returns the `file_path` of the metadata. */
    def path(block: FileBlock): String = new HadoopPath(
      new HadoopPath(new URI(block.uri)).toString
    ).toUri.toString
  }
}

/** The column `_metadata`, with the location of a row; available on request. */
private[stoplog] object FileMetadata {
  final val Name = "_metadata"

  /** The fields of Spark's own file sources, and `position`. `row_index` is null except for Parquet files.
    * `position` is the first byte of a line, in decoded files counted in decoded bytes; null in files of
    * blocks.
    */
  val schema: StructType = new StructType()
    .add("file_path", StringType, nullable = false)
    .add("file_name", StringType, nullable = false)
    .add("file_size", LongType, nullable = false)
    .add("file_block_start", LongType, nullable = false)
    .add("file_block_length", LongType, nullable = false)
    .add("file_modification_time", TimestampType, nullable = false)
    .add("position", LongType)
    .add("row_index", LongType)

  /** The column for the number of a row in its file, filled by Spark's Parquet reader on request. */
  val RowIndex: StructField = StructField("_tmp_metadata_row_index", LongType)

  /** Whether to request row numbers from Spark's reader. */
  def isRowIndexWanted(columns: StructType, wanted: StructType): Boolean =
    isWanted(columns, wanted) && (wanted(Name).dataType match {
      case fields: StructType => fields.fieldNames.contains("row_index")
      case _                  => false
    })

  private val Position = schema.fieldIndex("position")
  private val Index    = schema.fieldIndex("row_index")

  /** Whether the query requests the metadata. False if a column of the files has the same name. */
  def isWanted(columns: StructType, wanted: StructType): Boolean =
    wanted.fieldNames.contains(Name) && !columns.fieldNames.contains(Name)

  /** Returns the requested columns from files. A column of the files may have the name of the metadata. */
  def without(columns: StructType, wanted: StructType): StructType =
    if (isWanted(columns, wanted)) without(wanted) else wanted

  /** Returns the requested columns without the metadata. */
  def without(wanted: StructType): StructType = StructType(wanted.filterNot(_.name == Name))

  /** Adds the metadata column to the rows of an emitter.
    *
    * @param wanted the requested columns, including the metadata
    * @param made   the columns of the rows: the other requested columns, and optionally a [[RowIndex]]
    */
  def emitter[R <: Located](
      wanted: StructType,
      made: StructType,
      rows: RecordEmitter[R, InternalRow]
  ): RecordEmitter[R, InternalRow] = new WithMetadata(wanted, made, rows)

  private final class WithMetadata[R <: Located](
      wanted: StructType,
      made: StructType,
      rows: RecordEmitter[R, InternalRow]
  ) extends RecordEmitter[R, InternalRow] {
    private val order =
      new LocatedColumns.ColumnOrder(StructType(made.fields :+ StructField(Name, schema)), wanted)
    private val index  = made.fieldNames.indexOf(RowIndex.name)
    private val fields = wanted(Name).dataType match {
      case requested: StructType => requested.fieldNames.map(schema.fieldIndex)
      case _                     => schema.indices.toArray
    }
    private var of: FileSplit     = _
    private var known: Array[Any] = Array.empty

    override def emit(record: R, out: RowOutput[InternalRow]): Unit = {
      if (record.split ne of) begin(record)
      rows.emit(
        record,
        row => out.put(order(new JoinedRow(row, new GenericInternalRow(Array[Any](describe(record, row))))))
      )
    }

    private def begin(record: R): Unit = {
      of = record.split
      val block = LocatedColumns.FileBlock.of(record)
      known = Array[Any](
        UTF8String.fromString(LocatedColumns.FileBlock.path(block)),
        UTF8String.fromString(new HadoopPath(record.location).getName),
        of.file.bytes,
        block.from,
        block.length,
        of.file.modifiedMillis * 1000,
        null,
        null
      )
    }

    private def describe(record: R, row: InternalRow): InternalRow = {
      val all = known.clone()
      record.position.foreach(all(Position) = _)
      if (index >= 0) all(Index) = row.getLong(index)
      new GenericInternalRow(fields.map(all(_)))
    }
  }
}
