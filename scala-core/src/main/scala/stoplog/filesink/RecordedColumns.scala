// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.control.NonFatal

import org.apache.spark.sql.types.{DataType, Metadata, StructType}

import stoplog.commit.RowSchema
import stoplog.error.Errors
import stoplog.format.SchemaChange
import stoplog.log.LogRecord
import stoplog.options.{OnSchemaChange, RecoveryOptions}

/** The columns that a sink writes, as they are kept in its log: those of the files, without what a user may have noted
  * beside a column.
  */
private[stoplog] final class RecordedColumns(
    columns: StructType,
    onChange: OnSchemaChange,
    path: String,
    sinkId: String
) extends RowSchema
    with Serializable {

  override val text: String = StructType(columns.map(_.copy(metadata = Metadata.empty))).json

  /** Error: `STOPLOG_SCHEMA_CHANGED`. */
  override def mayFollow(recorded: String): Unit = RecordedColumns.read(recorded).foreach { before =>
    val change  = SchemaChange.between(before, columns)
    val allowed = onChange match {
      case OnSchemaChange.Roll     => true
      case OnSchemaChange.Additive => change.isAdditive
      case OnSchemaChange.Fail     => change.isEmpty
    }
    if (!allowed)
      throw Errors.schemaChanged(
        path,
        sinkId,
        RecoveryOptions.OnSchemaChange.values.render(onChange),
        change.describe
      )
  }
}

private[stoplog] object RecordedColumns {

  /** The columns in this record; `None` where an older release has written it. */
  def of(record: LogRecord): Option[StructType] = record.state.schema.flatMap(read)

  /** `None` for types that this release of Spark does not know. */
  def read(text: String): Option[StructType] =
    try Some(DataType.fromJson(text)).collect { case columns: StructType => columns }
    catch { case NonFatal(_) => None }
}
