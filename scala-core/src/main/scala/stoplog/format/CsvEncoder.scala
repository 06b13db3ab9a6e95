// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.Charset

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityGenerator}
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.types.StructType
import stoplog.error.Errors

/** One CSV record per row, by Spark's own generator, so that the bytes are those of `df.write.csv`.
  *
  * With the option `header` each part starts with the columns' names; a part that is continued in a later
  * epoch does not repeat them. One thing differs: a null in the only column, which Spark's writer drops with
  * its row, is the error `STOPLOG_NULL_VALUE` unless the option `nullValue` gives it a text.
  *
  * @param options
  *   Spark's own, made on the driver so that the session's settings count in every task
  */
final class CsvEncoder private (options: CSVOptions) extends Encoder {

  @transient private var schema: StructType            = _
  @transient private var buffer: RecordBuffer          = _
  @transient private var generator: UnivocityGenerator = _

  override def suffix: String = "." + options.extension

  override def open(schema: StructType): Unit = {
    SupportedTypes.check("csv", schema)(new CSVFileFormat().supportDataType)
    this.schema = schema
    buffer = newBuffer()
    generator = new UnivocityGenerator(schema, buffer, options)
  }

  override def begin(out: OutputStream): Unit = {
    out.write(buffer.byteOrderMark)
    if (options.headerFlag) writeHeader(out)
  }

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    try {
      generator.write(row)
      generator.flush()
    } catch {
      case NonFatal(e) => // half a record may be in it
        open(schema)
        throw e
    }
    // Spark's writer leaves out a record without a character, which would be a row lost.
    if (buffer.isEmpty) throw Errors.nullValue(schema.fieldNames.mkString(", "))
    buffer.drainTo(out)
  }

  // A generator refuses a header once it has written a record, and this one may have, to another part.
  private def writeHeader(out: OutputStream): Unit = {
    val header = newBuffer()
    val writer = new UnivocityGenerator(schema, header, options)
    writer.writeHeaders()
    writer.flush()
    header.drainTo(out)
  }

  private def newBuffer(): RecordBuffer = new RecordBuffer(Charset.forName(options.charset))
}

object CsvEncoder {

  /** @param options
    *   all options of Spark's csv writer: `header`, `sep`, `quote`, `nullValue`, `dateFormat`, `encoding`,
    *   `extension` and so on; others are ignored
    * @param sessionTimeZone
    *   for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): CsvEncoder =
    new CsvEncoder(new CSVOptions(PassedOptions(options), true, sessionTimeZone, ""))
}
