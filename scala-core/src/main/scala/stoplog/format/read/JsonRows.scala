// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.util.Arrays

import scala.collection.immutable.ArraySeq

import com.fasterxml.jackson.core.{JsonFactory, JsonParser}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonParser}
import org.apache.spark.sql.catalyst.util.FailureSafeParser
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.Line

/** Lines of JSON, read by Spark's own parser: an object is a row, an array of objects as many. */
private[format] final class JsonRows(columns: StructType, options: JSONOptions)
    extends RecordEmitter[Line, InternalRow] {
  private val corrupt = options.columnNameOfCorruptRecord

  private val parser = new JacksonParser(
    StructType(columns.filterNot(_.name == corrupt)),
    options,
    allowArrayAsStructs = true,
    filters = ArraySeq.empty
  )

  private val safe = new FailureSafeParser[Line](
    parser.parse[Line](_, JsonRows.open, JsonRows.text),
    options.parseMode,
    columns,
    corrupt
  )

  override def emit(line: Line, out: RowOutput[InternalRow]): Unit =
    BadLine.at(line)(safe.parse(line).foreach(out.put))
}

private object JsonRows {
  // Jackson reads UTF-8 from bytes faster than from anything that was made of them. They are a copy, from 0 on: Spark
  // cuts the text of a number or an object that is read as a string out of them by Jackson's positions, which count from
  // where the line begins, and keeps it as it lies there.
  val open: (JsonFactory, Line) => JsonParser = (factory, line) =>
    factory.createParser(Arrays.copyOfRange(line.bytes, line.offset, line.offset + line.length))

  val text: Line => UTF8String = line => UTF8String.fromBytes(line.bytes, line.offset, line.length).clone()
}
