// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import java.util.{ArrayList => JArrayList, TimeZone}

import org.apache.hadoop.hive.ql.exec.vector.{
  BytesColumnVector, ColumnVector, DoubleColumnVector, LongColumnVector, MultiValuedColumnVector,
  VectorizedRowBatch
}
import org.apache.orc.TypeDescription.Category
import org.apache.orc.mapred.OrcMapredRecordWriter
import org.apache.orc.{OrcConf, Writer}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.execution.datasources.orc.OrcSerializer
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import stoplog.format.bulk.{CalendarGap, ValueCheck}

/** Passes rows to orc-core in batches, as orc-core's record writer does.
  *
  * Values of types that ORC stores unchanged are set in their column without boxing, and strings without an
  * intermediate copy. Spark's serializer converts the values of all other types.
  *
  * @param batchRows the maximum number of rows in a batch
  */
private[orc] final class RowBatches(writer: Writer, schema: StructType, batchRows: Int) {
  import RowBatches._

  private[this] val batch: VectorizedRowBatch = writer.getSchema.createRowBatch(batchRows)
  private[this] val lists                     = new JArrayList[MultiValuedColumnVector]
  OrcMapredRecordWriter.addVariableLengthColumns(lists, batch)

  private[this] val plain = schema.indices.flatMap { column =>
    val written = writer.getSchema.getChildren.get(column)
    setter(column, schema(column).dataType, written.getCategory, batch.cols(column)).map(column -> _)
  }
  private[this] val setters = plain.map(_._2).toArray

  // The columns converted by Spark, and their positions in the row.
  private[this] val others     = schema.indices.diff(plain.map(_._1)).toArray
  private[this] val kinds      = others.map(writer.getSchema.getChildren.get(_))
  private[this] val converted  = StructType(others.map(schema(_)))
  private[this] val project    = ProjectingInternalRow(converted, others.toSeq)
  private[this] val serializer = new OrcSerializer(converted)
  private[this] val limits     = limitsOf(schema)

  /** Adds a row. A rejected row leaves the batch unchanged. Error: `STOPLOG_UNREADABLE_ROW`. */
  def add(row: InternalRow): Unit = {
    if (limits.isDefined) limits.get.apply(row)
    project.project(row)
    val values = serializer.serialize(project)
    if (batch.size == batch.getMaxSize || OrcMapredRecordWriter.getMaxChildLength(lists) >= MostInLists)
      hand()
    val at = batch.size
    batch.size += 1
    var next = 0
    while (next < setters.length) {
      setters(next).set(row, at)
      next += 1
    }
    next = 0
    while (next < others.length) {
      OrcMapredRecordWriter.setColumn(kinds(next), batch.cols(others(next)), at, values.getFieldValue(next))
      next += 1
    }
  }

  /** Ends the stripe with the remaining rows. */
  def close(): Unit = {
    if (batch.size > 0) hand()
    writer.close()
  }

  private def hand(): Unit = {
    writer.addRowBatch(batch)
    batch.reset()
  }
}

private[orc] object RowBatches {

  /** Returns a check of rows, which throws `STOPLOG_UNREADABLE_ROW`; `None` for columns without times. */
  def limitsOf(schema: StructType): Option[InternalRow => Unit] = ValueCheck.all(
    CalendarGap.checkOf("orc", schema, CalendarGap.Both, TimeZone.getDefault.getID),
    LastSecond.checkOf(schema)
  )

  private val MostInLists = OrcConf.ROW_BATCH_CHILD_LIMIT.getDefaultValue.asInstanceOf[Integer].intValue

  /** Copies the value of one column from a row to the batch. */
  private trait Setter {
    def set(row: InternalRow, at: Int): Unit
  }

  /** Returns the setter; `None` for a column converted by Spark's serializer. */
  private def setter(column: Int, kind: DataType, written: Category, to: ColumnVector): Option[Setter] =
    (written, kind, to) match {
      case (Category.BOOLEAN, BooleanType, to: LongColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = if (row.getBoolean(column)) 1 else 0)
      case (Category.BYTE, ByteType, to: LongColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getByte(column).toLong)
      case (Category.SHORT, ShortType, to: LongColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getShort(column).toLong)
      case (Category.INT, IntegerType | _: YearMonthIntervalType, to: LongColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getInt(column).toLong)
      case (Category.LONG, LongType | _: DayTimeIntervalType, to: LongColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getLong(column))
      case (Category.FLOAT, FloatType, to: DoubleColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getFloat(column).toDouble)
      case (Category.DOUBLE, DoubleType, to: DoubleColumnVector) =>
        orNull(column, to)((row, at) => to.vector(at) = row.getDouble(column))
      case (Category.BINARY, BinaryType, to: BytesColumnVector) =>
        orNull(column, to)((row, at) => to.setVal(at, row.getBinary(column)))
      case (Category.STRING, _: StringType, to: BytesColumnVector) =>
        orNull(column, to)((row, at) => setText(row.getUTF8String(column), to, at))
      case _ => None
    }

  /** Copies the bytes from their place in the row, if on the heap. */
  private def setText(text: UTF8String, to: BytesColumnVector, at: Int): Unit = {
    val bytes = text.getByteBuffer
    to.setVal(at, bytes.array, bytes.arrayOffset + bytes.position(), bytes.remaining)
  }

  private def orNull(column: Int, to: ColumnVector)(value: Setter): Option[Setter] = Some { (row, at) =>
    if (row.isNullAt(column)) {
      to.noNulls = false
      to.isNull(at) = true
    } else value.set(row, at)
  }
}
