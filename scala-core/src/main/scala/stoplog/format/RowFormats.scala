// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

import stoplog.error.{Errors, StoplogException}
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
    *
    * @param times the check of times, if the format would cut some times
    */
  private[stoplog] abstract class GeneratedEncoder[G](times: Option[LegacyTimes]) extends Encoder {
    @transient protected var schema: StructType   = _
    @transient protected var buffer: RecordBuffer = _
    @transient private var generator: G           = _
    @transient private var limits                 = Option.empty[InternalRow => Unit]

    protected def newBuffer(): RecordBuffer
    protected def newGenerator(to: RecordBuffer): G
    protected def generate(generator: G, row: InternalRow): Unit

    override def open(schema: StructType): Unit = {
      this.schema = schema
      buffer = newBuffer()
      generator = newGenerator(buffer)
      limits = times.flatMap(_.checkOf(format, schema))
    }

    override def begin(out: OutputStream): Unit = out.write(buffer.byteOrderMark)

    /** Returns why readers with the same options cannot read the row back from the buffer, if so. */
    protected def problem(row: InternalRow): Option[String]

    protected def format: String

    override def encode(row: InternalRow, out: OutputStream): Unit = {
      refuseLarge(row)
      if (limits.isDefined) limits.get.apply(row)
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
