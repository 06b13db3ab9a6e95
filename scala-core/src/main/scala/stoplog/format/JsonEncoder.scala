// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.{Charset, StandardCharsets}

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.types.StructType

/** One JSON object per row, by Spark's own generator, so that the bytes are those of `df.write.json`.
  *
  * @param options
  *   Spark's own, made on the driver so that the session's settings count in every task
  */
final class JsonEncoder private (options: JSONOptions) extends Encoder {

  @transient private var schema: StructType          = _
  @transient private var buffer: RecordBuffer        = _
  @transient private var generator: JacksonGenerator = _

  override def suffix: String = ".json"

  override def open(schema: StructType): Unit = {
    SupportedTypes.check("json", schema)(new JsonFileFormat().supportDataType)
    this.schema = schema
    buffer = new RecordBuffer(options.encoding.map(Charset.forName).getOrElse(StandardCharsets.UTF_8))
    generator = new JacksonGenerator(schema, buffer, options)
  }

  override def begin(out: OutputStream): Unit = out.write(buffer.byteOrderMark)

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    try {
      generator.write(row)
      generator.writeLineEnding()
      generator.flush()
    } catch {
      case NonFatal(e) => // it is in the middle of an object, for good
        open(schema)
        throw e
    }
    buffer.drainTo(out)
  }
}

object JsonEncoder {

  /** @param options
    *   all options of Spark's json writer: `ignoreNullFields`, `timestampFormat`, `lineSep`, `encoding` and
    *   so on; others are ignored
    * @param sessionTimeZone
    *   for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): JsonEncoder =
    new JsonEncoder(new JSONOptions(PassedOptions(options), sessionTimeZone, ""))
}
