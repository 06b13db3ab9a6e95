// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import org.apache.hadoop.io._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import stoplog.error.Errors

/** Converts the values of one column to Hadoop Writables. Returns the same object for each row. */
private[sequence] sealed abstract class WritableColumn(val writableClass: Class[_ <: Writable])
    extends (InternalRow => Writable) {

  /** The size of the last row's value, in bytes. */
  def sizeBytes: Int
}

private[sequence] object WritableColumn {

  /** The key of rows without a key column. */
  object NoColumn extends WritableColumn(classOf[NullWritable]) {
    override def apply(row: InternalRow): Writable = NullWritable.get
    override def sizeBytes: Int                    = 0
  }

  /** Returns the converter for the column at a position. Throws if no Writable supports the column's type. */
  def of(field: StructField, at: Int): WritableColumn = field.dataType match {
    case BooleanType   => filled(field, at, new BooleanWritable, 1)((w, row) => w.set(row.getBoolean(at)))
    case IntegerType   => filled(field, at, new IntWritable, 4)((w, row) => w.set(row.getInt(at)))
    case LongType      => filled(field, at, new LongWritable, 8)((w, row) => w.set(row.getLong(at)))
    case FloatType     => filled(field, at, new FloatWritable, 4)((w, row) => w.set(row.getFloat(at)))
    case DoubleType    => filled(field, at, new DoubleWritable, 8)((w, row) => w.set(row.getDouble(at)))
    case _: StringType => new TextColumn(field, at)
    case BinaryType    => new BytesColumn(field, at)
    case other         => throw Errors.unsupportedType("sequencefile", field.name, other.simpleString)
  }

  private def filled[W <: Writable](field: StructField, at: Int, empty: W, bytes: Int)(
      fill: (W, InternalRow) => Unit
  ): WritableColumn = new Column(field, at, empty) {
    override def sizeBytes: Int                        = bytes
    override protected def set(row: InternalRow): Unit = fill(writable, row)
  }

  private final class TextColumn(field: StructField, at: Int) extends Column(field, at, new Text) {
    override def sizeBytes: Int                        = writable.getLength + 1
    override protected def set(row: InternalRow): Unit = writable.set(row.getUTF8String(at).getBytes)
  }

  private final class BytesColumn(field: StructField, at: Int) extends Column(field, at, new BytesWritable) {
    override def sizeBytes: Int                        = writable.getLength + 4
    override protected def set(row: InternalRow): Unit = {
      val bytes = row.getBinary(at)
      writable.set(bytes, 0, bytes.length)
    }
  }

  // A file has one class of keys and one class of values, and neither class supports null.
  private abstract class Column[W <: Writable](field: StructField, at: Int, protected val writable: W)
      extends WritableColumn(writable.getClass) {

    protected def set(row: InternalRow): Unit

    override def apply(row: InternalRow): Writable = {
      if (row.isNullAt(at)) throw Errors.nullWritable(field.name)
      set(row)
      writable
    }
  }
}
