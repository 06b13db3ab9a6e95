// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.format.Encoder
import stoplog.laws.EncoderLaws

/** The laws of row formats, with values that are hard to write. */
class LabelledValuesLaws extends EncoderLaws {
  override protected def encoder(): Encoder = new LabelledValues

  override protected def schema: StructType = StructType.fromDDL("number INT, word STRING")

  override protected def row(number: Int): InternalRow =
    InternalRow(number, if (number % 5 == 0) null else UTF8String.fromString(word(number)))

  override protected def seen(number: Int): Any =
    Map("number" -> number.toString) ++ Option.when(number % 5 != 0)("word" -> word(number))

  /** By hand, as a reader does it that knows nothing of stoplog. */
  override protected def read(part: Array[Byte]): Seq[Any] =
    new String(part, UTF_8).linesIterator.toVector.map { line =>
      line.split('\t').map(_.split("=", 2)).map(pair => pair(0) -> unescaped(pair(1))).toMap
    }

  private def word(number: Int): String = s"a\\b\tc\nd=\u00e9$number"

  private def unescaped(value: String): String =
    "\\\\(.)".r.replaceAllIn(
      value,
      found =>
        java.util.regex.Matcher.quoteReplacement(found.group(1) match {
          case "t"   => "\t"
          case "n"   => "\n"
          case other => other
        })
    )
}
