// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.{JsonProcessingException, JsonToken}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityGenerator}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.{Errors, StoplogException}
import stoplog.format.read.LineDialect
import stoplog.part.RowMemory

/** The row formats that a sink supports by name: `text`, `json` and `csv`. */
private[stoplog] object RowFormats {

  /** The names accepted by [[encoder]], in lower case. */
  val Names: Seq[String] = Seq("text", "json", "csv")

  /** Returns the encoder of a format, tested on the driver and ready for the tasks.
    *
    * @param format  a name from [[Names]], in any case
    * @param schema  the columns to write, without Hive-style partition columns
    * @param options the sink's options; options of Spark's writer for the same format have the same meaning
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    * @throws stoplog.error.StoplogArgumentException if a column cannot be written in the format
    * @throws java.lang.IllegalArgumentException     if Spark rejects the value of an option
    */
  def encoder(
      format: String,
      schema: StructType,
      options: Map[String, String],
      sessionTimeZone: String
  ): Encoder = {
    val encoder = made(format, options, sessionTimeZone)
    encoder.open(schema)
    encoder
  }

  private def made(format: String, options: Map[String, String], sessionTimeZone: String): Encoder =
    format.toLowerCase(java.util.Locale.ROOT) match {
      case "text" => TextEncoder(options)
      case "json" => JsonEncoder(options, sessionTimeZone)
      case "csv"  => CsvEncoder(options, sessionTimeZone)
      case other  =>
        throw new IllegalArgumentException(
          s"There is no row format '$other'. The row formats are ${Names.mkString(", ")}."
        )
    }

  /** Returns the sink's options without codecs, for Spark's writers. Spark has its own list of codecs.
    * stoplog compresses outside of the encoder, so Spark must not validate codec names.
    */
  private[format] def passed(options: Map[String, String]): CaseInsensitiveMap[String] =
    CaseInsensitiveMap(options.filterNot { case (name, _) => Codecs.exists(_.equalsIgnoreCase(name)) })

  private val Codecs = Seq("compression", "codec")

  /** An encoder based on Spark's generators: the bytes are identical to Spark's writer for the format.
    *
    * Subclasses create Spark's options on the driver, so that the session's settings apply in every task.
    */
  private[stoplog] sealed abstract class GeneratedEncoder[G] extends Encoder {
    @transient protected var schema: StructType   = _
    @transient protected var buffer: RecordBuffer = _
    @transient private var generator: G           = _

    protected def newBuffer(): RecordBuffer
    protected def newGenerator(to: RecordBuffer): G
    protected def generate(generator: G, row: InternalRow): Unit

    override def open(schema: StructType): Unit = {
      this.schema = schema
      buffer = newBuffer()
      generator = newGenerator(buffer)
    }

    override def begin(out: OutputStream): Unit = out.write(buffer.byteOrderMark)

    /** Returns why readers with the same options cannot read the row back from the buffer, if so. */
    protected def problem(row: InternalRow): Option[String]

    protected def format: String

    override def encode(row: InternalRow, out: OutputStream): Unit = {
      refuseLarge(row)
      try generate(generator, row)
      catch {
        case NonFatal(e) => // the generator is broken in the middle of a record
          val refused = buffer.refused
          open(schema)
          throw refused.getOrElse(e)
      }
      // Spark's writer omits a record without characters, which would lose the row.
      if (buffer.isEmpty) throw Errors.nullValue(schema.fieldNames.mkString(", "))
      problem(row).foreach(why => refuse(Errors.unreadableRow(format, why)))
      try buffer.drainTo(out)
      catch { case e: StoplogException => refuse(e) }
    }

    /** Refuses a row before the generator creates copies of its values. A generator that fails in a large
      * value may put the whole record into its message. A view of a row has no size, so that the caller of
      * [[encode]] checks the row itself.
      */
    private[stoplog] def refuseLarge(row: InternalRow): Unit = row match {
      case unsafe: UnsafeRow if unsafe.getSizeInBytes > GeneratedEncoder.MostRowBytes =>
        val size = unsafe.getSizeInBytes.toLong
        RowMemory
          .problem(size, "bytes of memory", Runtime.getRuntime.maxMemory)
          .foreach(why => throw new IllegalArgumentException(why))
      case _ => ()
    }

    private def refuse(e: StoplogException): Nothing = {
      buffer.clear()
      throw e
    }
  }

  private object GeneratedEncoder {
    val MostRowBytes: Long = RowMemory.most(Runtime.getRuntime.maxMemory)
  }
}

/** Writes a single column unchanged, and a separator after each row.
  *
  * The column is a string, or binary. The content is neither quoted nor escaped. A value that readers with
  * the same options would read as another value is the error `STOPLOG_UNREADABLE_ROW`.
  *
  * @param nullText replaces a null. Without this parameter, a null is the error `STOPLOG_NULL_VALUE`, because
  *                 an empty line would be ambiguous with an empty string
  * @param lineSep  the end of each row, including the last; by default a line feed
  * @param charset  of strings
  */
private[stoplog] final class TextEncoder private (
    nullText: Option[String],
    lineSep: Option[String],
    charset: Option[String]
) extends Encoder {
  def this() = this(None, None, None)

  private val ends: LineEnds = LineEnds.of(lineSep)

  @transient private var text: TextBytes                = _
  @transient private var separatorBytes: Array[Byte]    = _
  @transient private var nullBytes: Option[Array[Byte]] = None
  @transient private var nullValue: Option[UTF8String]  = None
  @transient private var column: String                 = _
  @transient private var isBinary: Boolean              = _

  override def suffix: String = ".txt"

  override def open(schema: StructType): Unit = {
    isBinary = schema.map(_.dataType) match {
      case Seq(_: StringType)                 => false
      case Seq(BinaryType) if charset.isEmpty => true
      case _                                  => throw Errors.textSchema(schema.simpleString)
    }
    column = schema.head.name
    text = new TextBytes("text", charset.fold[Charset](UTF_8)(Charset.forName))
    separatorBytes = text.of(lineSep.getOrElse("\n"))
    nullBytes = nullText.map(text.of)
    nullValue = nullText.map(UTF8String.fromString)
  }

  override def begin(out: OutputStream): Unit = out.write(text.byteOrderMark)

  // Writes directly from Spark's row: no String is created, and bytes are only copied into the part's buffer.
  override def encode(row: InternalRow, out: OutputStream): Unit = {
    if (row.isNullAt(0)) out.write(nullBytes.getOrElse(throw Errors.nullValue(column)))
    else {
      val value = if (isBinary) UTF8String.fromBytes(row.getBinary(0)) else row.getUTF8String(0)
      problem(value).foreach(why => throw Errors.unreadableRow("text", why))
      if (charset.isEmpty) value.writeTo(out) else out.write(text.of(value.toString))
    }
    out.write(separatorBytes)
  }

  private def problem(value: UTF8String): Option[String] =
    if (ends.isWithin(value)) Some(s"the value of the column $column contains the end of a line")
    else if (nullValue.contains(value)) Some(s"the value of the column $column equals the option nullValue")
    else if (ReadableTexts.beginsWithMark(value))
      Some(s"the value of the column $column begins with a byte order mark, which readers skip")
    else if (charset.isDefined && !value.isValid) Some(s"the string in the column $column is not valid UTF-8")
    else None
}

private[stoplog] object TextEncoder {

  /** Uses the options `nullValue`, `lineSep` (default: a line feed) and `charset` (default: UTF-8); not
    * case-sensitive.
    */
  def apply(options: Map[String, String]): TextEncoder = {
    val named   = RowFormats.passed(options)
    val lineSep = named.get("lineSep")
    val charset = named.get("charset").map(Charset.forName).filter(_ != UTF_8)
    if (named.get("nullValue").exists(text => LineEnds.of(lineSep).isWithin(UTF8String.fromString(text))))
      throw new IllegalArgumentException("nullValue contains the end of a line")
    new TextEncoder(named.get("nullValue"), lineSep, charset.map(_.name))
  }
}

/** Writes one JSON object per row: the bytes of `df.write.json` with the defaults of [[LineDialect]]. */
private[stoplog] final class JsonEncoder private (options: JSONOptions)
    extends RowFormats.GeneratedEncoder[JacksonGenerator] {
  // JSON escapes line feeds and carriage returns, so only a separator of the user can be in a record.
  private val ends = LineEnds.of(Some(options.lineSeparator.getOrElse("")))

  @transient private lazy val parsers = options.buildJsonFactory()

  // No shorter record reaches a limit of the parsers for a string, or for the key of a map.
  @transient private lazy val longest = {
    val limits = parsers.streamReadConstraints
    limits.getMaxStringLength.min(limits.getMaxNameLength)
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

/** Writes one CSV record per row, with the same bytes as `df.write.csv` and the defaults of [[LineDialect]].
  *
  * With the option `header`, each part starts with the column names, and a part resumed in a later epoch does
  * not repeat the header. If the only column is null, Spark's writer drops the row. This encoder throws
  * `STOPLOG_NULL_VALUE` unless the option `nullValue` is set. A record that readers with the same options
  * would skip or read as other values is the error `STOPLOG_UNREADABLE_ROW`.
  */
private[stoplog] final class CsvEncoder private (options: CSVOptions, ofReaders: CSVOptions)
    extends RowFormats.GeneratedEncoder[UnivocityGenerator] {

  @transient private var readers: CsvReadBack = _

  override def suffix: String = "." + options.extension

  override protected def format: String = "csv"

  override def open(schema: StructType): Unit = {
    SupportedTypes.check(format, schema)(new CSVFileFormat().supportDataType)
    SupportedTypes.corruptRecords(format, schema, options.columnNameOfCorruptRecord)
    readers = new CsvReadBack(schema, ofReaders)
    super.open(schema)
    if (options.headerFlag) headerProblem.foreach { why =>
      throw Errors.columnName(format, schema.fieldNames.mkString(", "), s"in the header, $why")
    }
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
