// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The ends of lines for readers with the same options. A row whose text contains such an end would be read
  * as two rows.
  */
private[format] sealed trait LineEnds extends Serializable {

  /** Returns whether readers find an end before the end of the record.
    *
    * @param record a record in the first `size` characters, followed by the end of the line
    */
  def isWithin(record: Array[Char], size: Int): Boolean

  /** @param value without the end of the line */
  def isWithin(value: UTF8String): Boolean
}

private[format] object LineEnds {

  /** @param lineSep the option; by default, readers end a line at `\n`, `\r` and `\r\n` */
  def of(lineSep: Option[String]): LineEnds = lineSep match {
    case None       => Usual
    case Some("")   => Nothing
    case Some(text) => new Only(text)
  }

  private case object Usual extends LineEnds {

    override def isWithin(record: Array[Char], size: Int): Boolean = {
      var at = 0
      while (at < size && record(at) != '\n' && record(at) != '\r') at += 1
      at < size
    }

    // Eight bytes at a time: a byte of a word is zero if and only if it has the value of the mask.
    override def isWithin(value: UTF8String): Boolean = {
      val (base, offset, length) = (value.getBaseObject, value.getBaseOffset, value.numBytes)
      var at                     = 0
      var found                  = false
      while (!found && at + 8 <= length) {
        val word = Platform.getLong(base, offset + at)
        found = hasZero(word ^ LineFeeds) || hasZero(word ^ Returns)
        at += 8
      }
      while (!found && at < length) {
        val byte = Platform.getByte(base, offset + at)
        found = byte == '\n' || byte == '\r'
        at += 1
      }
      found
    }

    private def hasZero(word: Long): Boolean = ((word - Ones) & ~word & Highs) != 0

    private final val Ones      = 0x0101010101010101L
    private final val Highs     = 0x8080808080808080L
    private final val LineFeeds = Ones * '\n'
    private final val Returns   = Ones * '\r'
  }

  /** Bytes without lines: the user sets an empty `lineSep` for such files. */
  private case object Nothing extends LineEnds {
    override def isWithin(record: Array[Char], size: Int): Boolean = false
    override def isWithin(value: UTF8String): Boolean              = false
  }

  /** The end may also begin inside of the record and end inside of the record's own end. */
  private final class Only(text: String) extends LineEnds {
    private val chars = text.toCharArray
    private val bytes = UTF8String.fromString(text)

    override def isWithin(record: Array[Char], size: Int): Boolean =
      (0 until size).exists(at =>
        record(at) == chars(0) && chars.indices.forall(i =>
          at + i < record.length && record(at + i) == chars(i)
        )
      )

    override def isWithin(value: UTF8String): Boolean =
      if (bytes.numBytes == 1) value.contains(bytes)
      else UTF8String.concat(value, bytes).indexOf(bytes, 0) != value.numChars
  }
}

/** The rules for texts that no reader of UTF-8 can return. */
private[format] object ReadableTexts {

  /** The character that replaces invalid bytes. */
  final val Replacement = '\uFFFD'

  /** The byte order mark, which readers skip at the start of a file. */
  final val Mark = '\uFEFF'

  private val MarkBytes = UTF8String.fromBytes(Mark.toString.getBytes(UTF_8))

  def beginsWithMark(value: UTF8String): Boolean = value.startsWith(MarkBytes)

  /** Returns whether all strings of a value are valid UTF-8, at any depth. */
  def areValid(row: SpecializedGetters, ordinal: Int, of: DataType): Boolean = row.isNullAt(ordinal) || {
    of match {
      case _: StringType      => row.getUTF8String(ordinal).isValid
      case struct: StructType =>
        val fields = row.getStruct(ordinal, struct.length)
        struct.indices.forall(i => areValid(fields, i, struct(i).dataType))
      case array: ArrayType =>
        val elements = row.getArray(ordinal)
        (0 until elements.numElements()).forall(areValid(elements, _, array.elementType))
      case map: MapType =>
        val entries = row.getMap(ordinal)
        (0 until entries.numElements()).forall { i =>
          areValid(entries.keyArray(), i, map.keyType) && areValid(entries.valueArray(), i, map.valueType)
        }
      case _ => true
    }
  }

  /** Returns the first column with a text that is not valid UTF-8. */
  def invalid(row: SpecializedGetters, schema: StructType): Option[String] =
    schema.indices.find(i => !areValid(row, i, schema(i).dataType)).map(schema(_).name)
}
