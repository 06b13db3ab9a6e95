// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.expressions.ExprUtils
import org.apache.spark.sql.catalyst.json.JSONOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{BinaryType, DataType, StringType, StructType}

import stoplog.error.Errors
import stoplog.source.RecordEmitter
import stoplog.source.file._
import stoplog.source.file.FormatFiles.FormatRecord
import stoplog.source.file.LineReader.Separator
import stoplog.source.format.{LengthDelimited, LengthPrefix, RecordFormat}

/** The formats that a source supports by name. */
private[stoplog] object ReadFormats {

  /** @param columns the columns of the files
    * @param wanted  the columns requested by the query
    * @param filters of the query; rows that fail the filters may be returned or omitted
    * @param directories the columns named by directories
    *
    * Errors: `STOPLOG_ROW_COLUMNS`, `STOPLOG_INVALID_OPTIONS` for columns unknown to the format.
    */
  def of(
      settings: SourceFormatName.ReadSettings,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter],
      directories: DirectoryColumns
  ): FileFormat[_, InternalRow] = {
    val inFiles                        = directories.without(columns)
    def made(rows: StructType => Rows) = lines(settings, columns, wanted, directories)(rows)
    settings.format match {
      case SourceFormatName.Text                => made(text(settings, _))
      case SourceFormatName.Json                => made(json(settings, inFiles, _))
      case SourceFormatName.Csv                 => made(csv(settings, inFiles, _))
      case SourceFormatName.Records(_, records) => records.of(columns, wanted, directories, Decompression)
      case blocks: SourceFormatName.Blocks      =>
        SparkBlocks.of(blocks, columns, wanted, filters, settings, directories)
    }
  }

  private type Rows = () => RecordEmitter[Line, InternalRow]

  /** Creates rows of a format whose parser has a time zone.
    *
    * @param zone    of this query
    * @param depends whether values depend on the zone
    * @param of the options of the parser for a zone. Tasks create the options only for files that the source
    *           has planned in another zone
    */
  private final class RowsOfZones[O <: Serializable](
      zone: String,
      depends: Boolean,
      of: String => O,
      rows: O => RecordEmitter[Line, InternalRow]
  ) extends Rows
      with Serializable {

    /** The options for the time zone of this query. */
    val options: O = of(zone)

    override def apply(): RecordEmitter[Line, InternalRow] =
      if (!depends) rows(options)
      else new LineRows.ZonedRows(zone, rows(options), other => rows(of(other)))
  }

  private def text(settings: SourceFormatName.ReadSettings, wanted: StructType): Rows = {
    val nullText = settings.options.get("nullValue")
    wanted.fields.map(_.dataType) match {
      case Array()              => () => new LineRows.EmptyRows[Line]
      case Array(_: StringType) => () => new LineRows.TextRows(nullText)
      case _                    => throw Errors.textSchema(wanted.simpleString)
    }
  }

  private def json(settings: SourceFormatName.ReadSettings, columns: StructType, wanted: StructType): Rows = {
    val (options, corrupt) = (settings.options, SQLConf.get.columnNameOfCorruptRecord)
    val rows               = new RowsOfZones[JSONOptions](
      settings.zone,
      settings.dependsOnZone(columns),
      zone => new JSONOptions(SourceFormatName.inZone(options, zone), zone, corrupt),
      new LineRows.JsonRows(columns, wanted, _)
    )
    ExprUtils.verifyColumnNameOfCorruptRecord(columns, rows.options.columnNameOfCorruptRecord)
    rows
  }

  private def csv(settings: SourceFormatName.ReadSettings, columns: StructType, wanted: StructType): Rows = {
    val isSame = SQLConf.get.resolver
    val rows   = new RowsOfZones[CSVOptions](
      settings.zone,
      settings.dependsOnZone(columns),
      csvOptions(settings),
      new LineRows.CsvRows(columns, wanted, _, isSame)
    )
    ExprUtils.verifyColumnNameOfCorruptRecord(columns, rows.options.columnNameOfCorruptRecord)
    rows
  }

  private def csvOptions(settings: SourceFormatName.ReadSettings): String => CSVOptions = {
    val (options, pruning) = (settings.options, SQLConf.get.csvColumnPruning)
    val corrupt            = SQLConf.get.columnNameOfCorruptRecord
    zone => new CSVOptions(SourceFormatName.inZone(options, zone), pruning, zone, corrupt)
  }

  private def heading(settings: SourceFormatName.ReadSettings): Option[Heading] =
    Option
      .when(settings.format == SourceFormatName.Csv)(csvOptions(settings)(settings.zone))
      .filter(_.headerFlag)
      .map(new LineRows.CsvHeading(_))

  /** @param rows creates rows of the requested file columns */
  private def lines(
      settings: SourceFormatName.ReadSettings,
      columns: StructType,
      wanted: StructType,
      directories: DirectoryColumns
  )(rows: StructType => Rows): FileFormat[Line, InternalRow] = {
    val separator = settings.lineSep.fold[Separator](Separator.AnyLineEnd)(Separator.of(_, UTF_8))
    // Finds problems of the columns here, on the driver.
    val made = rows(directories.without(FileMetadata.without(columns, wanted)))
    new LineFormat(
      decoding(settings),
      separator,
      () => LocatedColumns.emitter[Line](columns, wanted, directories)(_ => made()),
      settings.maxLineBytes,
      heading(settings),
      framing(settings)
    )
  }

  private def framing(settings: SourceFormatName.ReadSettings): Option[String] =
    Option.when(settings.charset != UTF_8 || settings.lineSep.isDefined) {
      s"charset ${settings.charset.name}${settings.lineSep.fold("")(lineSep => s", lineSep $lineSep")}"
    }

  private def decoding(settings: SourceFormatName.ReadSettings): Decoding =
    if (settings.charset == UTF_8) Decompression
    else new Decompression.Transcoding(settings.charset.name, Decompression)

  /** Length-prefixed records, each as a row with the single column `value`. */
  final class DelimitedRows(prefix: LengthPrefix, maxBytes: Int)
      extends LengthDelimited(prefix, maxBytes)
      with RowFormat[Array[Byte]] {

    override def schema: StructType = new StructType().add("value", BinaryType)

    override def emitter(wanted: StructType): RecordEmitter[Array[Byte], InternalRow] =
      if (wanted.isEmpty) new LineRows.EmptyRows else (record, out) => out.put(InternalRow(record))
  }

  /** A user-defined format, with records of any type. */
  final class UserRecords private (files: RecordFormat[Any], rows: RowFormat[Any]) extends Serializable {

    def schema: StructType = rows.schema

    /** Errors: `STOPLOG_INVALID_OPTIONS` for columns unknown to the format. */
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
            s"the schema has ${field.name} ${field.dataType.sql}, but the columns of the format are " +
              s"${schema.toDDL}."
          }
        )
    }
  }

  object UserRecords {

    /** Returns `None` if the format does not extend [[RecordFormat]]. */
    def of(format: RowFormat[_]): Option[UserRecords] = format match {
      case files: RecordFormat[_] =>
        Some(new UserRecords(files.asInstanceOf[RecordFormat[Any]], format.asInstanceOf[RowFormat[Any]]))
      case _ => None
    }

    private def values(rows: RecordEmitter[Any, InternalRow]): RecordEmitter[FormatRecord[Any], InternalRow] =
      (record, out) => rows.emit(record.value, out)
  }
}
