// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BinaryType, StringType, StructType}
import stoplog.error.Errors
import stoplog.format.TextEncoder.Column

/** One column as it is, and a separator after each row.
  *
  * The column is a string, written in UTF-8, or binary. What it contains is neither quoted nor escaped.
  *
  * @param nullText
  *   what stands for a null; without it a null is the error `STOPLOG_NULL_VALUE`, because an empty line could
  *   not be told from an empty string
  * @param separator
  *   what ends each row, the last one too
  */
final class TextEncoder(nullText: Option[String] = None, separator: String = "\n") extends Encoder {

  private val nullBytes: Option[Array[Byte]] = nullText.map(_.getBytes(UTF_8))
  private val separatorBytes: Array[Byte]    = separator.getBytes(UTF_8)

  @transient private var column: Column = _

  override def suffix: String = ".txt"

  override def open(schema: StructType): Unit = column = Column.of(schema)

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    if (row.isNullAt(0)) out.write(nullBytes.getOrElse(throw Errors.nullValue(column.name)))
    else column.write(row, out)
    out.write(separatorBytes)
  }
}

object TextEncoder {

  /** From the options `nullValue` and `lineSep` (default a line feed), whatever the case of their names. */
  def apply(options: Map[String, String]): TextEncoder = {
    val named = PassedOptions(options)
    new TextEncoder(named.get("nullValue"), named.getOrElse("lineSep", "\n"))
  }

  private sealed abstract class Column {
    def name: String
    def write(row: InternalRow, out: OutputStream): Unit
  }

  private object Column {
    def of(schema: StructType): Column = schema.fields match {
      case Array(field) =>
        field.dataType match {
          case _: StringType => StringColumn(field.name)
          case BinaryType    => BinaryColumn(field.name)
          case _             => throw Errors.textSchema(schema.simpleString)
        }
      case _ => throw Errors.textSchema(schema.simpleString)
    }
  }

  private final case class StringColumn(name: String) extends Column {
    // Straight from Spark's row: no String is made, no byte copied before the part's own buffer.
    override def write(row: InternalRow, out: OutputStream): Unit = row.getUTF8String(0).writeTo(out)
  }

  private final case class BinaryColumn(name: String) extends Column {
    override def write(row: InternalRow, out: OutputStream): Unit = out.write(row.getBinary(0))
  }
}
