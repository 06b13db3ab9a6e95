// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.catalyst.json.JSONOptions
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter
import org.apache.spark.sql.types.{StringType, StructType}

import stoplog.error.Errors
import stoplog.options.{SourceFormatName, SourceOptions}
import stoplog.source.RecordEmitter
import stoplog.source.file._

/** The formats that a source knows by name. */
private[stoplog] object ReadFormats {

  /** @param columns that the files have
    * @param wanted  those of them that the query wants
    * @param filters that rows must pass which are of use to the query: others may come or not
    * @param directories which columns the names of directories tell
    *
    * Errors: `STOPLOG_TEXT_SCHEMA`, `STOPLOG_INVALID_OPTIONS` for columns that the format has not.
    */
  def of(
      options: SourceOptions,
      columns: StructType,
      wanted: StructType,
      filters: Seq[Filter],
      directories: DirectoryColumns
  ): FileFormat[_, InternalRow] = {
    val inFiles                        = directories.without(columns)
    def made(rows: StructType => Rows) = lines(options, columns, wanted, directories)(rows)
    options.format match {
      case SourceFormatName.Text                => made(text)
      case SourceFormatName.Json                => made(json(options, _))
      case SourceFormatName.Csv                 => made(csv(options, inFiles, _))
      case SourceFormatName.Records(_, records) => records.of(columns, wanted, directories, Decompression)
      case blocks: SourceFormatName.Blocks      =>
        SparkBlocks.of(blocks, columns, wanted, filters, options.passThrough, directories)
    }
  }

  private type Rows = () => RecordEmitter[Line, InternalRow]

  private def text(wanted: StructType): Rows = wanted.fields.map(_.dataType) match {
    case Array()              => () => new EmptyRows[Line]
    case Array(_: StringType) => () => new TextRows
    case _                    => throw Errors.textSchema(wanted.simpleString)
  }

  private def json(options: SourceOptions, wanted: StructType): Rows = {
    val conf = SQLConf.get
    val json = new JSONOptions(options.passThrough, conf.sessionLocalTimeZone, conf.columnNameOfCorruptRecord)
    () => new JsonRows(wanted, json)
  }

  private def csv(options: SourceOptions, columns: StructType, wanted: StructType): Rows = {
    val conf = SQLConf.get
    val csv  =
      new CSVOptions(options.passThrough, true, conf.sessionLocalTimeZone, conf.columnNameOfCorruptRecord)
    () => new CsvRows(columns, wanted, csv)
  }

  /** @param rows that have the columns that are wanted of the files */
  private def lines(
      options: SourceOptions,
      columns: StructType,
      wanted: StructType,
      directories: DirectoryColumns
  )(rows: StructType => Rows): FileFormat[Line, InternalRow] = {
    val separator = options.lineSep.fold[Separator](Separator.AnyLineEnd)(Separator.of(_, SourceOptions.utf8))
    // What is wrong with the columns is said here, on the driver.
    val made = rows(directories.without(FileMetadata.without(columns, wanted)))
    new LineFormat(
      decoding(options),
      separator,
      () => LocatedColumns.emitter[Line](columns, wanted, directories)(_ => made())
    )
  }

  private def decoding(options: SourceOptions): Decoding =
    if (options.charset == SourceOptions.utf8) Decompression
    else new Transcoding(options.charset.name, Decompression)
}
