// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import com.fasterxml.jackson.core.{JsonProcessingException, JsonToken}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.types.StructType

import stoplog.format.read.LineDialect

/** Writes one JSON object per row: the bytes of `df.write.json` with the defaults of [[LineDialect]]. */
private[stoplog] final class JsonEncoder private (options: JSONOptions)
    extends RowFormats.GeneratedEncoder[JacksonGenerator](
      LegacyTimes.of(options.parameters, options.timestampFormatInWrite, options.zoneId, options.locale)
    ) {
  // JSON escapes line feeds and carriage returns, so only a separator of the user can be in a record.
  private val ends = LineEnds.of(Some(options.lineSeparator.getOrElse("")))

  @transient private lazy val parsers = options.buildJsonFactory()

  // No shorter record reaches a limit of the parsers for a string, the key of a map, or nested values.
  @transient private lazy val longest = {
    val limits = parsers.streamReadConstraints
    val texts  = limits.getMaxStringLength.min(limits.getMaxNameLength)
    if (schema.json.contains(":\"variant\"")) texts.min(limits.getMaxNestingDepth) else texts
  }

  override def suffix: String = ".json"

  override protected def format: String = "json"

  override def open(schema: StructType): Unit = {
    SupportedTypes.check(format, schema)(new JsonFileFormat().supportDataType)
    SupportedTypes.check(format, schema)(SupportedTypes.hasTextKeys)
    SupportedTypes.corruptRecords(format, schema, options.columnNameOfCorruptRecord)
    super.open(schema)
  }

  override protected def newBuffer(): RecordBuffer =
    new RecordBuffer(
      format,
      options.encoding.map(Charset.forName).getOrElse(UTF_8),
      options.lineSeparatorInWrite
    )

  override protected def newGenerator(to: RecordBuffer): JacksonGenerator =
    new JacksonGenerator(schema, to, options)

  override protected def generate(generator: JacksonGenerator, row: InternalRow): Unit = {
    generator.write(row)
    generator.writeLineEnding()
    generator.flush()
  }

  override protected def problem(row: InternalRow): Option[String] = {
    val record = buffer.record
    val size   = buffer.size - options.lineSeparatorInWrite.length
    if (ends.isWithin(record, size)) Some("it contains the end of a line")
    else if (mayBeInvalid(record, size))
      ReadableTexts.invalid(row, schema).map(name => s"the string in the column $name is not valid UTF-8")
    else if (size <= longest) None
    else unparsed(new String(record, 0, size))
  }

  private def mayBeInvalid(record: Array[Char], size: Int): Boolean = {
    var at = 0
    while (at < size && record(at) != ReadableTexts.Replacement) at += 1
    at < size || options.writeNonAsciiCharacterAsCodePoint
  }

  /** Parsers limit the length of a string and of a name. */
  private def unparsed(record: String): Option[String] =
    try
      Using.resource(parsers.createParser(record)) { parser =>
        Iterator.continually(parser.nextToken()).takeWhile(_ != null).foreach { token =>
          if (token == JsonToken.VALUE_STRING) parser.getText: Unit
        }
        None
      }
    catch { case e: JsonProcessingException => Some(e.getOriginalMessage) }
}

private[stoplog] object JsonEncoder {

  /** @param options all options of Spark's JSON writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): JsonEncoder = {
    val json =
      new JSONOptions(LineDialect.ofJsonWrites(RowFormats.passed(options).originalMap), sessionTimeZone, "")
    if (json.pretty) throw new IllegalArgumentException(Pretty)
    if (json.multiLine) throw new IllegalArgumentException(MultiLine)
    new JsonEncoder(json)
  }

  private final val Pretty =
    "with pretty = true, a row has several lines, and readers cannot read it back; remove it"
  private final val MultiLine =
    "with multiLine = true, readers read only the first row of a file; remove it"
}
