// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.error.Errors
import stoplog.source.RecordEmitter
import stoplog.source.file.{Decoding, FileFormat, FormatFiles, FormatRecord}
import stoplog.source.format.RecordFormat

/** A format of the user's, of which nobody here knows what its records are. */
private[stoplog] final class UserRecords private (files: RecordFormat[Any], rows: RowFormat[Any])
    extends Serializable {

  def schema: StructType = rows.schema

  /** Errors: `STOPLOG_INVALID_OPTIONS` for columns that the format has not. */
  def of(
      columns: StructType,
      wanted: StructType,
      directories: DirectoryColumns,
      decoding: Decoding
  ): FileFormat[_, InternalRow] = {
    refuseUnknown(directories.without(FileMetadata.without(columns, wanted)))
    val made = rows
    new FormatFiles[Any, InternalRow](
      files,
      decoding,
      () =>
        LocatedColumns.emitter[FormatRecord[Any]](columns, wanted, directories) { inFiles =>
          UserRecords.values(made.emitter(inFiles))
        }
    )
  }

  private def refuseUnknown(wanted: StructType): Unit = {
    val unknown = wanted.filterNot(field =>
      schema.exists(has =>
        has.name == field.name && DataType.equalsIgnoreNullability(has.dataType, field.dataType)
      )
    )
    if (unknown.nonEmpty)
      throw Errors.invalidOptions(
        unknown.map { field =>
          s"the schema has ${field.name} ${field.dataType.sql}, but the columns of the format are ${schema.toDDL}."
        }
      )
  }
}

private[stoplog] object UserRecords {

  /** None if it is no [[RecordFormat]]. */
  def of(format: RowFormat[_]): Option[UserRecords] = format match {
    case files: RecordFormat[_] =>
      Some(new UserRecords(files.asInstanceOf[RecordFormat[Any]], format.asInstanceOf[RowFormat[Any]]))
    case _ => None
  }

  private def values(rows: RecordEmitter[Any, InternalRow]): RecordEmitter[FormatRecord[Any], InternalRow] =
    (record, out) => rows.emit(record.value, out)
}
