// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.{ColumnWriteStore, ColumnWriter}
import org.apache.parquet.io.{ColumnIOFactory, ParquetEncodingException}
import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.parquet.schema.{MessageType, Type}

/** Passes the fields of rows to the columns of a row group. */
private[parquet] object RowConsumer {

  /** Whether each field is a column, so that values need no computed levels. */
  def isFlat(schema: MessageType): Boolean = schema.getFields.asScala.forall(isColumn)

  /** Returns a consumer for a schema without nested columns.
    *
    * @param ranges of the values of its columns
    */
  def flat(schema: MessageType, columns: ColumnWriteStore, ranges: Array[ByteRange]): RecordConsumer =
    new FlatConsumer(schema, columns, ranges)

  /** Returns parquet-hadoop's consumer, for any schema. */
  def nested(schema: MessageType, columns: ColumnWriteStore, isValidating: Boolean): RecordConsumer =
    new ColumnIOFactory(isValidating).getColumnIO(schema).getRecordWriter(columns)

  private def isColumn(field: Type): Boolean =
    field.isPrimitive && !field.isRepetition(Type.Repetition.REPEATED)

  /** Expects fields in the order of the schema, as from Spark's write support. Omitted fields are null. */
  private final class FlatConsumer(schema: MessageType, store: ColumnWriteStore, ranges: Array[ByteRange])
      extends RecordConsumer {
    private[this] val columns: Array[ColumnWriter] =
      schema.getColumns.asScala.map(store.getColumnWriter).toArray
    // of a non-null value
    private[this] val levels: Array[Int] = schema.getColumns.asScala.map(_.getMaxDefinitionLevel).toArray

    private[this] var next    = 0 // the first column not yet written in this row
    private[this] var current = -1

    override def startMessage(): Unit = next = 0

    override def endMessage(): Unit = {
      nullsBefore(columns.length)
      store.endRecord()
    }

    override def startField(field: String, index: Int): Unit = {
      if (index < next) throw new ParquetEncodingException(s"field $field occurs twice or too late")
      nullsBefore(index)
      current = index
    }

    override def endField(field: String, index: Int): Unit = next = index + 1

    override def addInteger(value: Int): Unit     = columns(current).write(value, 0, levels(current))
    override def addLong(value: Long): Unit       = columns(current).write(value, 0, levels(current))
    override def addBoolean(value: Boolean): Unit = columns(current).write(value, 0, levels(current))
    override def addBinary(value: Binary): Unit   = {
      ranges(current).add(value)
      columns(current).write(value, 0, levels(current))
    }
    override def addFloat(value: Float): Unit   = columns(current).write(value, 0, levels(current))
    override def addDouble(value: Double): Unit = columns(current).write(value, 0, levels(current))

    override def startGroup(): Unit = throw noGroup
    override def endGroup(): Unit   = throw noGroup

    private def nullsBefore(end: Int): Unit = while (next < end) {
      if (levels(next) == 0)
        throw new ParquetEncodingException(s"no value of the required field ${schema.getFieldName(next)}")
      ranges(next).addNull()
      columns(next).writeNull(0, 0)
      next += 1
    }

    private def noGroup = new ParquetEncodingException("a group among columns that are not nested")
  }
}
