// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.{FileSplit, Located}

/** The column `_metadata`, which a query gets if it asks for it: where a row is from. */
private[stoplog] object FileMetadata {
  final val Name = "_metadata"

  /** The fields that Spark's own file sources have, of which `row_index` is null in all files but those of Parquet; and
    * `position`: the byte at which a line begins, in a decoded file that of what it was decoded to, and null in files of
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

  /** Under which Spark's reader of Parquet puts the number of a row in its file into the row, if it is asked to. */
  val RowIndex: StructField = StructField("_tmp_metadata_row_index", LongType)

  /** Whether it is to be asked. */
  def isRowIndexWanted(columns: StructType, wanted: StructType): Boolean =
    isWanted(columns, wanted) && (wanted(Name).dataType match {
      case fields: StructType => fields.fieldNames.contains("row_index")
      case _                  => false
    })

  private val Position = schema.fieldIndex("position")
  private val Index    = schema.fieldIndex("row_index")

  /** Whether the query wants it, where no column of the files has the name. */
  def isWanted(columns: StructType, wanted: StructType): Boolean =
    wanted.fieldNames.contains(Name) && !columns.fieldNames.contains(Name)

  /** The same, where no column of the files has the name. */
  def without(columns: StructType, wanted: StructType): StructType =
    if (isWanted(columns, wanted)) without(wanted) else wanted

  /** The columns of the files among those that are wanted. */
  def without(wanted: StructType): StructType = StructType(wanted.filterNot(_.name == Name))

  /** Adds the column to the rows of an emitter.
    *
    * @param wanted with the column
    * @param made   what the rows have, which may be a [[RowIndex]] besides what is wanted
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
    private val order  = new ColumnOrder(StructType(made.fields :+ StructField(Name, schema)), wanted)
    private val index  = made.fieldNames.indexOf(RowIndex.name)
    private val fields = wanted(Name).dataType match {
      case asked: StructType => asked.fieldNames.map(schema.fieldIndex)
      case _                 => schema.indices.toArray
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
      val block = FileBlock.of(record)
      known = Array[Any](
        UTF8String.fromString(FileBlock.path(block)),
        UTF8String.fromString(of.file.name),
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
