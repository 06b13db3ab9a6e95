// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{EnumSet => JEnumSet, Locale, OptionalLong => JOptionalLong, Set => JSet}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.ExprUtils
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
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.format.read.SourceFormatName
import stoplog.error.{Errors, Redaction}
import stoplog.filesource.{FileRead, FileReads}
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

/** One read of files.
  *
  * @param columns that there are
  * @param wanted  those of them that the query wants
  */
private[spark] final class FileScan(
    read: FileRead,
    options: SourceOptions,
    columns: StructType,
    wanted: StructType
) extends SourceScan(read.source, wanted, options.limits, read.vectors)
    with SupportsReportStatistics {
  @volatile private var size: () => JOptionalLong = () => JOptionalLong.of(sizeInBytes)

  override def description(): String = Redaction.text(
    s"${super.description()} PartitionFilters: ${shown(read.filters.directories)}, " +
      s"PushedFilters: ${shown(read.filters.blocks)}"
  )

  /** The size of a stream's input is not known: to list all files in each micro-batch would be no help. */
  override def toMicroBatchStream(checkpointLocation: String): MicroBatchStream = {
    size = () => JOptionalLong.empty()
    super.toMicroBatchStream(checkpointLocation)
  }

  override def estimateStatistics(): Statistics = new Statistics {
    override def sizeInBytes(): JOptionalLong = size()
    override def numRows(): JOptionalLong     = JOptionalLong.empty()
  }

  /** Of the columns that are wanted, as Spark's own file sources estimate it. */
  private def sizeInBytes: Long = {
    val share = wanted.defaultSize.toDouble / columns.defaultSize.max(1)
    (SQLConf.get.fileCompressionFactor * splits.map(_.size.bytes).sum * share).round.max(1)
  }

  private def shown(filters: Seq[Filter]): String = filters.mkString("[", ", ", "]")
}

/** The columns that a user says files have, as Spark's own file sources take them. */
private[spark] object UserColumns {

  /** Any of them may be null, at any depth: no file is held to `NOT NULL`, and a reader that relied on it would read a
    * missing value as `0`, or as that of the row before.
    *
    * Errors, which are Spark's: `COLUMN_ALREADY_EXISTS`, and `INVALID_JSON_SCHEMA_MAP_TYPE`.
    */
  def checked(columns: StructType, format: SourceFormatName): StructType = {
    refuseTwins(columns)
    if (isJson(format)) checkJson(columns)
    nullable(columns).asInstanceOf[StructType]
  }

  private def refuseTwins(of: DataType): Unit = of match {
    case struct: StructType =>
      val names = struct.fieldNames.map(folded)
      names.diff(names.distinct).headOption.foreach { twin =>
        throw new AnalysisException("COLUMN_ALREADY_EXISTS", Map("columnName" -> s"`$twin`"))
      }
      struct.foreach(field => refuseTwins(field.dataType))
    case array: ArrayType => refuseTwins(array.elementType)
    case map: MapType     =>
      refuseTwins(map.keyType)
      refuseTwins(map.valueType)
    case _ => ()
  }

  private def folded(name: String): String =
    if (SQLConf.get.caseSensitiveAnalysis) name else name.toLowerCase(Locale.ROOT)

  private def isJson(format: SourceFormatName): Boolean = format match {
    case SourceFormatName.Json | SourceFormatName.MultiLineJson => true
    case _                                                      => false
  }

  private def checkJson(columns: StructType): Unit =
    if (ExprUtils.checkJsonSchema(columns).isFailure)
      throw new AnalysisException(
        "INVALID_JSON_SCHEMA_MAP_TYPE",
        Map("jsonSchema" -> columns.sql)
      )

  private def nullable(of: DataType): DataType = of match {
    case struct: StructType =>
      StructType(struct.map(f => f.copy(dataType = nullable(f.dataType), nullable = true)))
    case array: ArrayType => ArrayType(nullable(array.elementType), containsNull = true)
    case map: MapType     => MapType(nullable(map.keyType), nullable(map.valueType), valueContainsNull = true)
    case other            => other
  }
}
