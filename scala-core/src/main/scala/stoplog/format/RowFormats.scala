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

/** The row formats that a sink knows by name: `text`, `json` and `csv`.
  */
private[stoplog] object RowFormats {

  /** The names that [[encoder]] takes, in lower case. */
  val Names: Seq[String] = Seq("text", "json", "csv")

  /** The encoder of a format, tried on the driver and ready to be sent to the tasks.
    *
    * @param format  one of [[Names]], in any case
    * @param schema  the columns that will be written (Hive-style partition columns left out)
    * @param options the sink's options: those of Spark's writer of the same format mean the same
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    * @throws stoplog.error.StoplogArgumentException if a column cannot be written in the format
    * @throws java.lang.IllegalArgumentException     if Spark refuses the value of an option
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

  /** The sink's options as Spark's own writers may see them. Spark knows its own list of codecs; stoplog applies its own
    * around the encoder, so Spark must not judge their names.
    */
  private[format] def passed(options: Map[String, String]): CaseInsensitiveMap[String] =
    CaseInsensitiveMap(options.filterNot { case (name, _) => Codecs.exists(_.equalsIgnoreCase(name)) })

  private val Codecs = Seq("compression", "codec")

  /** An encoder by one of Spark's own generators, so that the bytes are those of Spark's own writer of the format.
    *
    * The options of its subclasses are Spark's own, made on the driver so that the session's settings count in every task.
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
        case NonFatal(e) => // it is in the middle of a record, for good
          open(schema)
          throw e
      }
      // Spark's writer leaves out a record without a character, which would be a row lost.
      if (buffer.isEmpty) throw Errors.nullValue(schema.fieldNames.mkString(", "))
      buffer.drainTo(out)
    }
  }
}

/** One column as it is, and a separator after each row.
  *
  * The column is a string, written in UTF-8, or binary. Its content is neither quoted nor escaped.
  *
  * @param nullText  in place of a null; without it a null is the error `STOPLOG_NULL_VALUE`, because an empty line could
  *                  not be told from an empty string
  * @param separator the end of each row, of the last one too
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

  // Straight from Spark's row: no String is made, no byte copied before the part's own buffer.
  override def encode(row: InternalRow, out: OutputStream): Unit = {
    if (row.isNullAt(0)) out.write(nullBytes.getOrElse(throw Errors.nullValue(column)))
    else if (isBinary) out.write(row.getBinary(0))
    else row.getUTF8String(0).writeTo(out)
    out.write(separatorBytes)
  }
}

private[stoplog] object TextEncoder {

  /** From the options `nullValue` and `lineSep` (default a line feed), whatever the case of their names. */
  def apply(options: Map[String, String]): TextEncoder = {
    val named = RowFormats.passed(options)
    new TextEncoder(named.get("nullValue"), named.getOrElse("lineSep", "\n"))
  }
}

/** One JSON object per row: the bytes are those of `df.write.json`. */
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

  /** @param options all of Spark's json writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): JsonEncoder =
    new JsonEncoder(new JSONOptions(RowFormats.passed(options), sessionTimeZone, ""))
}

/** One CSV record per row: the bytes are those of `df.write.csv`.
  *
  * With the option `header` each part starts with the columns' names; a part that is continued in a later
  * epoch does not repeat them. One thing differs: a null in the only column, which Spark's writer drops with
  * its row, is the error `STOPLOG_NULL_VALUE` unless the option `nullValue` gives it a text.
  */
private[stoplog] final class CsvEncoder private (options: CSVOptions)
    extends RowFormats.GeneratedEncoder[UnivocityGenerator] {

  override def suffix: String = "." + options.extension

  override def open(schema: StructType): Unit = {
    SupportedTypes.check("csv", schema)(new CSVFileFormat().supportDataType)
    super.open(schema)
  }

  // A generator refuses a header once it has written a record, and the encoder's may have, to another part.
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

  /** @param options all of Spark's csv writer; others are ignored
    * @param sessionTimeZone for timestamps, unless `timeZone` is among the options
    */
  def apply(options: Map[String, String] = Map.empty, sessionTimeZone: String = "UTC"): CsvEncoder =
    new CsvEncoder(new CSVOptions(RowFormats.passed(options), true, sessionTimeZone, ""))
}
