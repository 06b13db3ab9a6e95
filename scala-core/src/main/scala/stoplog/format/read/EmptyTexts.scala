// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import com.univocity.parsers.csv.CsvParser
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.CSVOptions
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Distinguishes empty strings in CSV from nulls. Spark's writer writes an empty string as two quotes, and a
  * null as nothing. Spark's parser reads both as null, unless `nullValue` is set.
  *
  * @param columns the columns of a line
  * @param wanted  the columns of a row
  */
private[format] final class EmptyTexts private (
    columns: StructType,
    wanted: StructType,
    options: CSVOptions
) {
  private val parser     = EmptyTexts.parser(options)
  private val mark       = s"${options.quote}${options.quote}"
  private val ofLine     = wanted.fieldNames.map(columns.fieldNames.indexOf(_))
  private val candidates =
    wanted.indices.filter(i => ofLine(i) >= 0 && wanted(i).dataType.isInstanceOf[StringType]).toArray

  /** Replaces the nulls of a row whose line has two quotes instead. */
  def fill(row: InternalRow, line: String): InternalRow = {
    if (candidates.nonEmpty && line.contains(mark)) {
      val values = parser.parseLine(line)
      candidates.foreach { i =>
        val at = ofLine(i)
        if (
          values != null && at < values.length && values(at) != null && values(at).isEmpty && row.isNullAt(i)
        )
          row.update(i, UTF8String.EMPTY_UTF8)
      }
    }
    row
  }
}

private[format] object EmptyTexts {

  /** Returns `None` if the options let Spark's parser distinguish both. Spark's reader reads records of
    * several lines.
    */
  def of(columns: StructType, wanted: StructType, options: CSVOptions): Option[EmptyTexts] =
    Option.when(areDistinguished(options))(new EmptyTexts(columns, wanted, options))

  def areDistinguished(options: CSVOptions): Boolean =
    options.nullValue.isEmpty && options.emptyValueInRead.isEmpty && !options.multiLine

  /** Returns a parser with nulls for values without a character, and without quotes. */
  def parser(options: CSVOptions): CsvParser = {
    val settings = options.asParserSettings
    settings.setNullValue(null)
    settings.setEmptyValue("")
    new CsvParser(settings)
  }
}
