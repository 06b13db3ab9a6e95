// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Map => JMap, OptionalLong => JOptionalLong, Set => JSet}

import org.apache.spark.sql.connector.catalog.{
  MetadataColumn, SupportsMetadataColumns, SupportsRead, TableCapability
}
import org.apache.spark.sql.connector.read.{
  Scan, ScanBuilder, Statistics, SupportsPushDownFilters, SupportsPushDownRequiredColumns,
  SupportsReportStatistics
}
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.engine.Dataset
import stoplog.error.Described
import stoplog.filesource.{FileReads, SourceColumns, SourceRoot}
import stoplog.filesource.FileReads.FileRead
import stoplog.format.read.{FileMetadata, SourceFormatName}
import stoplog.options.SourceOptions

/** Files as a table for streaming and batch reads.
  *
  * @param columns the columns of the files
  * @param shown   the columns available to queries
  */
private[spark] final class SourceTable(options: SourceOptions, columns: StructType, shown: StructType)
    extends SupportsRead
    with SupportsMetadataColumns {
  import SourceTable.FileScan

  override def name(): String =
    Described.as("stoplog source")(Described.named(options.content.paths.mkString(", ")))

  override def schema(): StructType = shown

  override def properties(): JMap[String, String] = SourceTable.datasets(options) match {
    case Seq(only) => OpenLineage.properties(only)
    case _         => JMap.of() // a table describes one dataset
  }

  override def metadataColumns(): Array[MetadataColumn] = Array(SourceTable.Metadata)

  override def capabilities(): JSet[TableCapability] =
    JEnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ)

  /** A batch query requests only the necessary columns. A streaming query does not request columns: the scan
    * returns all columns, followed by the metadata if the query reads metadata.
    */
  override def newScanBuilder(ignored: CaseInsensitiveStringMap): ScanBuilder =
    new ScanBuilder with SupportsPushDownRequiredColumns with SupportsPushDownFilters {
      private lazy val ofStream          = if (QueryContext.reads(FileMetadata.Name)) withMetadata else shown
      private var required               = Option.empty[StructType]
      private var filters: Array[Filter] = Array.empty

      /** A user-defined format creates whole columns, even if Spark requests only some fields. */
      override def pruneColumns(requiredSchema: StructType): Unit = required = Some(
        options.content.read.format match {
          case _: SourceFormatName.Records =>
            StructType(requiredSchema.map(field => shown.find(_.name == field.name).getOrElse(field)))
          case _ => requiredSchema
        }
      )

      /** Block formats skip blocks that cannot match. Spark still applies all filters. */
      override def pushFilters(pushed: Array[Filter]): Array[Filter] = {
        filters = pushed
        pushed
      }

      override def pushedFilters(): Array[Filter] = Array.empty

      override def build(): Scan = {
        val wanted = required.getOrElse(ofStream)
        val read   = FileReads.source(options, columns, wanted, filters.toSeq)
        new FileScan(read, options, columns, wanted)
      }
    }

  private def withMetadata: StructType =
    if (shown.fieldNames.contains(FileMetadata.Name)) shown
    else StructType(shown.fields :+ StructField(FileMetadata.Name, FileMetadata.schema, nullable = false))
}

private[spark] object SourceTable {

  /** Errors: `STOPLOG_SOURCE_PATH`, `STOPLOG_INVALID_OPTIONS` for unknown `columns`, and the errors of
    * [[stoplog.filesource.SourceColumns]] and of the format.
    */
  def apply(options: SourceOptions, columns: StructType): SourceTable = {
    FileReads.check(options)
    ofFilesToCome(options, columns)
  }

  /** Creates a table whose path may be empty or absent. */
  def ofFilesToCome(options: SourceOptions, columns: StructType): SourceTable = {
    val known = SourceColumns.checked(columns, options.content.read.format)
    new SourceTable(options, known, SourceColumns.selected(options, known))
  }

  private def datasets(options: SourceOptions): Seq[Dataset] = {
    val format = options.content.read.format match {
      case _: SourceFormatName.Records => Dataset.OwnFormat
      case known                       => known.word
    }
    SourceRoot.of(options.content.paths).locations.map(Dataset.at(_, format))
  }

  private[spark] object Metadata extends MetadataColumn {
    override def name(): String       = FileMetadata.Name
    override def dataType(): DataType = FileMetadata.schema
    override def isNullable: Boolean  = false
    override def comment(): String    = "where the row is from"
  }

  /** One read of files.
    *
    * @param columns the existing columns
    * @param wanted  the columns of the query
    */
  final class FileScan(
      read: FileRead,
      options: SourceOptions,
      columns: StructType,
      wanted: StructType
  ) extends SourceScan(read.source, read.once, wanted, options.limits, read.vectors)
      with SupportsReportStatistics {
    override def datasets: Seq[Dataset] = SourceTable.datasets(options)

    @volatile private var size: () => JOptionalLong = () => JOptionalLong.of(sizeInBytes)

    override def description(): String = Described.as("stoplog source")(
      s"${super.description()} PartitionFilters: ${shown(read.filters.directories)}, " +
        s"PushedFilters: ${shown(read.filters.blocks)}"
    )

    /** The size of a stream's input is unknown: a listing of all files in each micro-batch would have no
      * benefit.
      */
    override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
      size = () => JOptionalLong.empty()
      FileReads.refuseStream(options)
      FileReads.refuseUnfitArchive(options)
      FileReads.refuseCheckpoint(options, checkpointLocation)
      SinkOfQuery.outputOfThisThread.foreach(to => FileReads.refuseOutput(options, to.directory, to.example))
      super.toMicroBatchStream(checkpointLocation)
    }

    override def estimateStatistics(): Statistics = new Statistics {
      override def sizeInBytes(): JOptionalLong = size()
      override def numRows(): JOptionalLong     = JOptionalLong.empty()
    }

    /** The size of the requested columns, estimated like in Spark's own file sources: each row has eight more
      * bytes.
      */
    private def sizeInBytes: Long = {
      val share = (wanted.defaultSize + 8.0) / (columns.defaultSize + 8.0)
      (SQLConf.get.fileCompressionFactor * splits.map(_.size.bytes).sum * share).round.max(1)
    }

    private def shown(filters: Seq[Filter]): String = filters.mkString("[", ", ", "]")
  }
}
