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

  /** `position` is the byte at which a line begins, in a decoded file that of what it was decoded to; null in files of
    * blocks.
    */
  val schema: StructType = new StructType()
    .add("file_path", StringType, nullable = false)
    .add("file_name", StringType, nullable = false)
    .add("file_size", LongType, nullable = false)
    .add("file_modification_time", TimestampType, nullable = false)
    .add("position", LongType)

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
    */
  def emitter[R <: Located](
      wanted: StructType,
      rows: RecordEmitter[R, InternalRow]
  ): RecordEmitter[R, InternalRow] = new WithMetadata(wanted, rows)

  private final class WithMetadata[R <: Located](wanted: StructType, rows: RecordEmitter[R, InternalRow])
      extends RecordEmitter[R, InternalRow] {
    private val joined = StructType(without(wanted).fields :+ StructField(Name, schema))
    private val order  = new ColumnOrder(joined, wanted)
    private val fields = wanted(Name).dataType match {
      case asked: StructType => asked.fieldNames.map(schema.fieldIndex)
      case _                 => schema.indices.toArray
    }
    private var of: FileSplit     = _
    private var known: Array[Any] = Array.empty

    override def emit(record: R, out: RowOutput[InternalRow]): Unit = {
      val metadata = new GenericInternalRow(Array[Any](describe(record)))
      rows.emit(record, row => out.put(order(new JoinedRow(row, metadata))))
    }

    private def describe(record: R): InternalRow = {
      if (record.split ne of) {
        of = record.split
        known = Array[Any](
          UTF8String.fromString(record.fileName),
          UTF8String.fromString(record.fileName.substring(record.fileName.lastIndexOf('/') + 1)),
          of.file.bytes,
          of.file.modifiedMillis * 1000,
          null
        )
      }
      val all = known.clone()
      record.position.foreach(all(4) = _)
      new GenericInternalRow(fields.map(all(_)))
    }
  }
}
