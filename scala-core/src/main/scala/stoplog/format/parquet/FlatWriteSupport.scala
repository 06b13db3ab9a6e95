// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Spark's write support, with a faster path for rows without nested columns. Values of types that Parquet
  * stores unchanged under any setting are written without boxing, and strings without a copy. Spark's code
  * converts the values of all other types, and writes rows with nested columns.
  *
  * Like Spark's write support, this class reads the settings of the active session on creation and
  * preparation.
  */
private[parquet] final class FlatWriteSupport(schema: StructType) extends ParquetWriteSupport {
  import FlatWriteSupport._

  private[this] val names                 = schema.fieldNames
  private[this] var conf: Configuration   = _
  private[this] var out: RecordConsumer   = _
  private[this] var isFlat                = false
  private[this] var values: Array[Values] = Array.empty

  override def init(configuration: Configuration): WriteContext = {
    conf = configuration
    val context = super.init(configuration)
    isFlat = RowConsumer.isFlat(context.getSchema)
    context
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit = {
    super.prepareForWrite(consumer)
    out = consumer
    if (isFlat) values = schema.indices.map(valuesOf).toArray
  }

  override def write(row: InternalRow): Unit = if (isFlat) writeFlat(row) else super.write(row)

  private def writeFlat(row: InternalRow): Unit = {
    out.startMessage()
    var at = 0
    while (at < values.length) {
      if (!row.isNullAt(at)) {
        out.startField(names(at), at)
        values(at).add(row, at)
        out.endField(names(at), at)
      }
      at += 1
    }
    out.endMessage()
  }

  private def valuesOf(column: Int): Values = schema(column).dataType match {
    case BooleanType                            => (row, at) => out.addBoolean(row.getBoolean(at))
    case ByteType                               => (row, at) => out.addInteger(row.getByte(at).toInt)
    case ShortType                              => (row, at) => out.addInteger(row.getShort(at).toInt)
    case IntegerType | _: YearMonthIntervalType => (row, at) => out.addInteger(row.getInt(at))
    case LongType | TimestampNTZType | _: DayTimeIntervalType => (row, at) => out.addLong(row.getLong(at))
    case FloatType                                            => (row, at) => out.addFloat(row.getFloat(at))
    case DoubleType                                           => (row, at) => out.addDouble(row.getDouble(at))
    case BinaryType    => (row, at) => out.addBinary(Binary.fromReusedByteArray(row.getBinary(at)))
    case _: StringType => (row, at) => out.addBinary(bytesOf(row.getUTF8String(at)))
    case _             => convertedBySpark(column)
  }

  private def convertedBySpark(column: Int): Values = {
    val alone   = StructType(Seq(schema(column)))
    val spark   = new ParquetWriteSupport
    val project = ProjectingInternalRow(alone, Seq(column))
    val ofAlone = new Configuration(conf)
    ParquetWriteSupport.setSchema(alone, ofAlone)
    spark.init(ofAlone)
    spark.prepareForWrite(new ValuesAlone(out))
    (row, _) => {
      project.project(row)
      spark.write(project)
    }
  }
}

private[parquet] object FlatWriteSupport {

  /** Writes the values of a column from rows. */
  private trait Values {

    /** Called only for non-null values. */
    def add(row: InternalRow, at: Int): Unit
  }

  /** Uses the bytes in their place in the row, if on the heap. */
  private def bytesOf(text: UTF8String): Binary = {
    val bytes = text.getByteBuffer
    Binary.fromReusedByteArray(bytes.array, bytes.arrayOffset + bytes.position(), bytes.remaining)
  }

  /** Passes on the value of a row of one column, without the calls that delimit messages and fields. */
  private final class ValuesAlone(out: RecordConsumer) extends RecordConsumer {
    override def startMessage(): Unit                        = ()
    override def endMessage(): Unit                          = ()
    override def startField(field: String, index: Int): Unit = ()
    override def endField(field: String, index: Int): Unit   = ()
    override def startGroup(): Unit                          = out.startGroup()
    override def endGroup(): Unit                            = out.endGroup()
    override def addInteger(value: Int): Unit                = out.addInteger(value)
    override def addLong(value: Long): Unit                  = out.addLong(value)
    override def addBoolean(value: Boolean): Unit            = out.addBoolean(value)
    override def addBinary(value: Binary): Unit              = out.addBinary(value)
    override def addFloat(value: Float): Unit                = out.addFloat(value)
    override def addDouble(value: Double): Unit              = out.addDouble(value)
  }
}
