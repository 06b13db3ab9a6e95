// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The rules for texts that no reader of UTF-8 can return. */
private[stoplog] object ReadableTexts {

  /** The character that replaces invalid bytes. */
  final val Replacement = '\uFFFD'

  /** The byte order mark, which readers skip at the start of a file. */
  final val Mark = '\uFEFF'

  private val MarkBytes     = UTF8String.fromBytes(Mark.toString.getBytes(UTF_8))
  private val FirstMarkByte = MarkBytes.getBytes.head

  /** Returns the string, or `None` if Java would replace invalid bytes. */
  def exact(value: UTF8String): Option[String] =
    Some(value.toString).filter(text => text.indexOf(Replacement.toInt) < 0 || value.isValid)

  def beginsWithMark(value: UTF8String): Boolean =
    value.numBytes > 0 &&
      Platform.getByte(value.getBaseObject, value.getBaseOffset) == FirstMarkByte &&
      value.startsWith(MarkBytes)

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
