// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Set => JSet}

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn, SupportsMetadataColumns, SupportsRead, TableCapability
}
import org.apache.spark.sql.connector.read.{
  Scan, ScanBuilder, SupportsPushDownFilters, SupportsPushDownRequiredColumns
}
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.error.{Errors, Redaction}
import stoplog.format.read.FileMetadata
import stoplog.options.SourceOptions

/** Files as a table to read from, by streaming and by batch queries.
  *
  * @param columns that the files have
  * @param shown   those of them that can be asked for
  */
private[spark] final class SourceTable(options: SourceOptions, columns: StructType, shown: StructType)
    extends SupportsRead
    with SupportsMetadataColumns {

  override def name(): String = Redaction.text(s"stoplog ${options.content.paths.mkString(", ")}")

  override def schema(): StructType = shown

  override def metadataColumns(): Array[MetadataColumn] = Array(SourceTable.Metadata)

  override def capabilities(): JSet[TableCapability] =
    JEnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ)

  /** A streaming query asks for all columns, whatever it needs; a batch query for those that it needs. */
  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    new ScanBuilder with SupportsPushDownRequiredColumns with SupportsPushDownFilters {
      private var wanted                 = shown
      private var filters: Array[Filter] = Array.empty

      override def pruneColumns(required: StructType): Unit = wanted = required

      /** Formats of blocks leave out what cannot pass. Spark filters all the same. */
      override def pushFilters(asked: Array[Filter]): Array[Filter] = {
        filters = asked
        asked
      }

      override def pushedFilters(): Array[Filter] = Array.empty

      override def build(): Scan = {
        val read = FileReads.source(options, columns, wanted, filters.toSeq)
        new FileScan(read, options, columns, wanted)
      }
    }
}

private[spark] object SourceTable {

  /** Errors: `STOPLOG_SOURCE_PATH`, `STOPLOG_INVALID_OPTIONS` for `columns` that there are not, those of
    * [[UserColumns]] and of the format.
    */
  def apply(options: SourceOptions, columns: StructType): SourceTable = {
    FileReads.refuseNothing(options)
    ofFilesToCome(options, columns)
  }

  /** Of a table, whose place may have no file yet, or not be there. */
  def ofFilesToCome(options: SourceOptions, columns: StructType): SourceTable = {
    val known = UserColumns.checked(columns, options.content.read.format)
    val shown = options.content.columns.fold(known)(names => StructType(names.map(named(known, _))))
    new SourceTable(options, known, shown)
  }

  private def named(columns: StructType, name: String): StructField =
    columns.find(_.name.equalsIgnoreCase(name)).getOrElse {
      val known = columns.fieldNames.mkString(", ")
      throw Errors.invalidOptions(Seq(s"columns names '$name', which is none of $known."))
    }

  private[spark] object Metadata extends MetadataColumn {
    override def name(): String       = FileMetadata.Name
    override def dataType(): DataType = FileMetadata.schema
    override def isNullable: Boolean  = false
    override def comment(): String    = "where the row is from"
  }
}
