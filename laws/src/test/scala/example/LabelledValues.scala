// SPDX-License-Identifier: Apache-2.0
package example

import java.io.OutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.format.Encoder

/** A line for each row, of `name=value` with tabs between them; a column that is null is left out. */
final class LabelledValues extends Encoder {
  @transient private var columns: Array[(Array[Byte], InternalRow => Any)] = Array.empty

  override def suffix: String = ".ltsv"

  /** In the task: nothing that is made here travels. */
  override def open(schema: StructType): Unit =
    columns = schema.fields.zipWithIndex.map { case (field, at) =>
      s"${field.name}=".getBytes(UTF_8) -> ((row: InternalRow) => row.get(at, field.dataType))
    }

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    var first = true
    for ((label, value) <- columns; found = value(row); if found != null) {
      if (!first) out.write('\t')
      first = false
      out.write(label)
      out.write(LabelledValues.escaped(found.toString).getBytes(UTF_8))
    }
    out.write('\n')
  }
}

object LabelledValues {

  /** Without what would end a value or a line. */
  def escaped(text: String): String = text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
}
