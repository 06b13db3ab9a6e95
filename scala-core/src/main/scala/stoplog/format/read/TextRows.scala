// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.source.{RecordEmitter, RowOutput}
import stoplog.source.file.Line

/** A line is a row of one string: the line's own bytes, which nobody copies before Spark does. */
private[format] final class TextRows extends RecordEmitter[Line, InternalRow] {
  private val row = new LineRow

  override def emit(line: Line, out: RowOutput[InternalRow]): Unit = {
    row.of(line)
    out.put(row)
  }
}

/** A view of a line: the string is made when it is asked for, where the compiler sees that nobody keeps it, and needs no
  * memory for it.
  */
private final class LineRow extends GenericInternalRow(1) {
  private var line: Line = _

  def of(next: Line): Unit = line = next

  override def isNullAt(ordinal: Int): Boolean            = false
  override def getUTF8String(ordinal: Int): UTF8String    = text
  override protected def genericGet(ordinal: Int): Any    = text
  override def toSeq(fieldTypes: Seq[DataType]): Seq[Any] = Seq(text)

  private def text: UTF8String = UTF8String.fromBytes(line.bytes, line.offset, line.length)
}

/** Rows of no columns, for queries that only count them. */
private[format] final class EmptyRows[R] extends RecordEmitter[R, InternalRow] {
  private val row = new GenericInternalRow(0)

  override def emit(record: R, out: RowOutput[InternalRow]): Unit = out.put(row)
}
