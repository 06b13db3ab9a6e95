// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types.StructType

import stoplog.source.RecordEmitter
import stoplog.source.file.{FileSplit, Located}

/** Adds to the rows of an emitter what the place of their file tells: columns of directories, and the metadata. */
private[read] object LocatedColumns {

  /** @param columns that there are
    * @param wanted  of them, and the metadata
    * @param rows    makes rows of the columns that it is told
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
    FileBlock.told(if (metadata) FileMetadata.emitter(wanted, data, made) else made)
  }

  /** Rows whose columns are there, in another order. */
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

  private final class WithDirectories[R <: Located](
      wanted: StructType,
      inFiles: StructType,
      directories: DirectoryColumns,
      rows: RecordEmitter[R, InternalRow]
  ) extends RecordEmitter[R, InternalRow] {
    private val told                = directories.in(wanted)
    private val order               = new ColumnOrder(StructType(inFiles.fields ++ told.fields), wanted)
    private var of: FileSplit       = _
    private var values: InternalRow = _

    override def emit(record: R, out: stoplog.source.RowOutput[InternalRow]): Unit = {
      if (record.split ne of) {
        of = record.split
        values = directories.values(of.file, record.fileName, told)
      }
      rows.emit(record, row => out.put(order(new JoinedRow(row, values))))
    }
  }
}
