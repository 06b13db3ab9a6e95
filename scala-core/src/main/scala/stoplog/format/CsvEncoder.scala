// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.Charset

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityGenerator}
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.types.{DecimalType, StructType}

import stoplog.error.Errors
import stoplog.format.read.LineDialect

/** Writes one CSV record per row, with the same bytes as `df.write.csv` and the defaults of [[LineDialect]].
  *
  * With the option `header`, each part starts with the column names, and a part resumed in a later epoch does
  * not repeat the header. If the only column is null, Spark's writer drops the row. This encoder throws
  * `STOPLOG_NULL_VALUE` unless the option `nullValue` is set. A record that readers with the same options
  * would skip or read as other values is the error `STOPLOG_UNREADABLE_ROW`.
  */
private[stoplog] final class CsvEncoder private (options: CSVOptions, ofReaders: CSVOptions)
    extends RowFormats.GeneratedEncoder[UnivocityGenerator](
      LegacyTimes.of(options.parameters, options.timestampFormatInWrite, options.zoneId, options.locale)
    ) {

  @transient private var readers: CsvReadBack = _

  override def suffix: String = "." + options.extension

  override protected def format: String = "csv"

  override def open(schema: StructType): Unit = {
    SupportedTypes.check(format, schema)(new CSVFileFormat().supportDataType)
    SupportedTypes.corruptRecords(format, schema, options.columnNameOfCorruptRecord)
    if (!CsvReadBack.readsDecimals(options.locale)) refuseDecimals(schema)
    readers = new CsvReadBack(schema, ofReaders)
    super.open(schema)
    if (options.headerFlag) headerProblem.foreach { why =>
      throw Errors.columnName(format, schema.fieldNames.mkString(", "), s"in the header, $why")
    }
  }

  private def refuseDecimals(schema: StructType): Unit =
    schema.find(_.dataType.isInstanceOf[DecimalType]).foreach { field =>
      val why = s"readers with the locale ${options.locale.toLanguageTag} read decimals as other numbers"
      throw Errors.columnName(format, field.name, why)
    }

  /** Returns why readers would not skip exactly the header at the start of a file, if so. */
  private def headerProblem: Option[String] = {
    val written = header()
    readers.problemOfLine(written.record, written.size - lineEnd.length).orElse(written.problem)
  }

  private def header(): RecordBuffer = {
    val header = newBuffer()
    val writer = newGenerator(header)
    writer.writeHeaders()
    writer.flush()
    header
  }

  // A generator rejects a header after a record, and this encoder may have written records of other parts.
  override def begin(out: OutputStream): Unit = {
    super.begin(out)
    if (options.headerFlag) header().drainTo(out)
  }

  override protected def newBuffer(): RecordBuffer =
    new RecordBuffer(format, Charset.forName(options.charset), lineEnd)

  override protected def newGenerator(to: RecordBuffer): UnivocityGenerator =
    new UnivocityGenerator(schema, to, options)

  override protected def generate(generator: UnivocityGenerator, row: InternalRow): Unit = {
    generator.write(row)
    generator.flush()
  }

  override protected def problem(row: InternalRow): Option[String] =
    readers.problem(buffer.record, buffer.size - lineEnd.length, row)

  private def lineEnd: String = options.lineSeparatorInWrite.getOrElse("\n")
}

private[stoplog] object CsvEncoder {

  /** @param options all options of Spark's CSV writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): CsvEncoder = {
    val set       = LineDialect.ofCsvWrites(RowFormats.passed(options).originalMap)
    val ofReaders = new CSVOptions(set, true, sessionTimeZone, "")
    new CsvEncoder(new CSVOptions(LineDialect.withEmptyValue(set), true, sessionTimeZone, ""), ofReaders)
  }
}
