// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.OutputStream
import java.util.{Map => JMap}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{BinaryType, StructType}

import stoplog.error.Errors

/** Writes the bytes of one binary column, without a terminator, and ignores all other columns.
  *
  * For rows that were encoded before the sink: `Encoder.from_function` of Python uses this encoder. As an
  * option, `format` = `stoplog.format.BytesEncoder`. Parameters: `column`, by default `value`; `suffix` of
  * part names, by default empty.
  */
final class BytesEncoder(parameters: JMap[String, String]) extends Encoder {
  private val column       = parameters.getOrDefault("column", "value")
  private val names        = parameters.getOrDefault("suffix", "")
  private var ordinal: Int = -1

  override def suffix: String = names

  override def open(schema: StructType): Unit = {
    def refused(why: String) = throw Errors.invalidOptions(Seq(s"format.column = '$column': $why."))
    ordinal = schema.fieldNames.indexOf(column)
    if (ordinal < 0) refused(s"there is no column '$column' among ${schema.fieldNames.mkString(", ")}")
    val found = schema(ordinal).dataType
    if (found != BinaryType) refused(s"the column is of type ${found.simpleString}, not binary")
  }

  override def encode(row: InternalRow, out: OutputStream): Unit =
    if (row.isNullAt(ordinal)) throw Errors.nullRequired(column) else out.write(row.getBinary(ordinal))
}
