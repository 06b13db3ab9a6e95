// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.csv.{CSVOptions, UnivocityGenerator}
import org.apache.spark.sql.catalyst.json.{JSONOptions, JacksonGenerator}
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.csv.CSVFileFormat
import org.apache.spark.sql.execution.datasources.json.JsonFileFormat
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}

import stoplog.error.Errors

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
          s"There is no row format '$other'; there are ${Names.mkString(", ")}."
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
  private[format] sealed abstract class GeneratedEncoder[G] extends Encoder {
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

    override def encode(row: InternalRow, out: OutputStream): Unit = {
      try generate(generator, row)
      catch {
        case NonFatal(e) => // the generator is broken in the middle of a record
          open(schema)
          throw e
      }
      // Spark's writer omits a record without characters, which would lose the row.
      if (buffer.isEmpty) throw Errors.nullValue(schema.fieldNames.mkString(", "))
      buffer.drainTo(out)
    }
  }
}

/** Writes a single column unchanged, and a separator after each row.
  *
  * The column is a string, written in UTF-8, or binary. The content is neither quoted nor escaped.
  *
  * @param nullText  replaces a null. Without this parameter, a null is the error `STOPLOG_NULL_VALUE`,
  *                  because an empty line would be ambiguous with an empty string
  * @param separator the end of each row, including the last
  */
private[stoplog] final class TextEncoder(nullText: Option[String] = None, separator: String = "\n")
    extends Encoder {

  private val nullBytes: Option[Array[Byte]] = nullText.map(_.getBytes(UTF_8))
  private val separatorBytes: Array[Byte]    = separator.getBytes(UTF_8)

  @transient private var column: String    = _
  @transient private var isBinary: Boolean = _

  override def suffix: String = ".txt"

  override def open(schema: StructType): Unit = {
    isBinary = schema.map(_.dataType) match {
      case Seq(_: StringType) => false
      case Seq(BinaryType)    => true
      case _                  => throw Errors.textSchema(schema.simpleString)
    }
    column = schema.head.name
  }

  // Writes directly from Spark's row: no String is created, and bytes are only copied into the part's buffer.
  override def encode(row: InternalRow, out: OutputStream): Unit = {
    if (row.isNullAt(0)) out.write(nullBytes.getOrElse(throw Errors.nullValue(column)))
    else if (isBinary) out.write(row.getBinary(0))
    else row.getUTF8String(0).writeTo(out)
    out.write(separatorBytes)
  }
}

private[stoplog] object TextEncoder {

  /** Uses the options `nullValue` and `lineSep` (default: a line feed); not case-sensitive. */
  def apply(options: Map[String, String]): TextEncoder = {
    val named = RowFormats.passed(options)
    new TextEncoder(named.get("nullValue"), named.getOrElse("lineSep", "\n"))
  }
}

/** Writes one JSON object per row, with the same bytes as `df.write.json`. */
private[stoplog] final class JsonEncoder private (options: JSONOptions)
    extends RowFormats.GeneratedEncoder[JacksonGenerator] {

  override def suffix: String = ".json"

  override def open(schema: StructType): Unit = {
    SupportedTypes.check("json", schema)(new JsonFileFormat().supportDataType)
    super.open(schema)
  }

  override protected def newBuffer(): RecordBuffer =
    new RecordBuffer(options.encoding.map(Charset.forName).getOrElse(UTF_8))

  override protected def newGenerator(to: RecordBuffer): JacksonGenerator =
    new JacksonGenerator(schema, to, options)

  override protected def generate(generator: JacksonGenerator, row: InternalRow): Unit = {
    generator.write(row)
    generator.writeLineEnding()
    generator.flush()
  }
}

private[stoplog] object JsonEncoder {

  /** @param options all options of Spark's JSON writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): JsonEncoder =
    new JsonEncoder(new JSONOptions(RowFormats.passed(options), sessionTimeZone, ""))
}

/** Writes one CSV record per row, with the same bytes as `df.write.csv`.
  *
  * With the option `header`, each part starts with the column names, and a part resumed in a later epoch does
  * not repeat the header. One difference: if the only column is null, Spark's writer drops the row. This
  * encoder throws `STOPLOG_NULL_VALUE` unless the option `nullValue` is set.
  */
private[stoplog] final class CsvEncoder private (options: CSVOptions)
    extends RowFormats.GeneratedEncoder[UnivocityGenerator] {

  override def suffix: String = "." + options.extension

  override def open(schema: StructType): Unit = {
    SupportedTypes.check("csv", schema)(new CSVFileFormat().supportDataType)
    super.open(schema)
  }

  // A generator rejects a header after a record, and this encoder may have written records of other parts.
  override def begin(out: OutputStream): Unit = {
    super.begin(out)
    if (options.headerFlag) {
      val header = newBuffer()
      val writer = newGenerator(header)
      writer.writeHeaders()
      writer.flush()
      header.drainTo(out)
    }
  }

  override protected def newBuffer(): RecordBuffer = new RecordBuffer(Charset.forName(options.charset))

  override protected def newGenerator(to: RecordBuffer): UnivocityGenerator =
    new UnivocityGenerator(schema, to, options)

  override protected def generate(generator: UnivocityGenerator, row: InternalRow): Unit = {
    generator.write(row)
    generator.flush()
  }
}

private[stoplog] object CsvEncoder {

  /** @param options all options of Spark's CSV writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): CsvEncoder =
    new CsvEncoder(new CSVOptions(RowFormats.passed(options), true, sessionTimeZone, ""))
}
