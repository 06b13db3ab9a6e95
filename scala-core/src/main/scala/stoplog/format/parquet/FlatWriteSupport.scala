// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.annotation.switch

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.hadoop.api.WriteSupport.WriteContext
import org.apache.parquet.io.api.{Binary, RecordConsumer}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport
import org.apache.spark.sql.internal.SQLConf
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

  private[this] val names                    = schema.fieldNames
  private[this] val kinds                    = schema.map(field => kindOf(field.dataType)).toArray
  private[this] var conf: Configuration      = _
  private[this] var out: RecordConsumer      = _
  private[this] var isFlat                   = false
  private[this] var others: Array[Converter] = Array.empty // by column
  private[this] val limits                   = OldDates.limits(schema, SQLConf.get)

  override def init(configuration: Configuration): WriteContext = {
    conf = configuration
    val context = super.init(configuration)
    isFlat = RowConsumer.isFlat(context.getSchema)
    context
  }

  override def prepareForWrite(consumer: RecordConsumer): Unit = {
    super.prepareForWrite(consumer)
    out = consumer
    if (isFlat)
      others =
        schema.indices.map(i => if (kinds(i) == Converted) convertedBySpark(i) else Unconverted).toArray
  }

  /** Error: `STOPLOG_UNREADABLE_ROW`. */
  override def write(row: InternalRow): Unit = {
    if (limits.isDefined) limits.get.apply(row)
    if (isFlat) writeFlat(row) else super.write(row)
  }

  // One method for all columns. A function for each type would be a call that the JVM cannot inline, as soon
  // as the rows have columns of three types.
  private def writeFlat(row: InternalRow): Unit = {
    out.startMessage()
    var at = 0
    while (at < kinds.length) {
      if (!row.isNullAt(at)) {
        out.startField(names(at), at)
        (kinds(at): @switch) match {
          case Booleans => out.addBoolean(row.getBoolean(at))
          case Bytes    => out.addInteger(row.getByte(at).toInt)
          case Shorts   => out.addInteger(row.getShort(at).toInt)
          case Ints     => out.addInteger(row.getInt(at))
          case Longs    => out.addLong(row.getLong(at))
          case Floats   => out.addFloat(row.getFloat(at))
          case Doubles  => out.addDouble(row.getDouble(at))
          case Binaries => out.addBinary(Binary.fromReusedByteArray(row.getBinary(at)))
          case Strings  => out.addBinary(bytesOf(row.getUTF8String(at)))
          case _        => others(at).add(row)
        }
        out.endField(names(at), at)
      }
      at += 1
    }
    out.endMessage()
  }

  private def convertedBySpark(column: Int): Converter = {
    val alone   = StructType(Seq(schema(column)))
    val spark   = new ParquetWriteSupport
    val project = ProjectingInternalRow(alone, Seq(column))
    val ofAlone = new Configuration(conf)
    ParquetWriteSupport.setSchema(alone, ofAlone)
    spark.init(ofAlone)
    spark.prepareForWrite(new ValuesAlone(out))
    row => {
      project.project(row)
      spark.write(project)
    }
  }
}

private[parquet] object FlatWriteSupport {

  private final val Booleans  = 0
  private final val Bytes     = 1
  private final val Shorts    = 2
  private final val Ints      = 3
  private final val Longs     = 4
  private final val Floats    = 5
  private final val Doubles   = 6
  private final val Binaries  = 7
  private final val Strings   = 8
  private final val Converted = 9

  private def kindOf(dataType: DataType): Int = dataType match {
    case BooleanType                                          => Booleans
    case ByteType                                             => Bytes
    case ShortType                                            => Shorts
    case IntegerType | _: YearMonthIntervalType               => Ints
    case LongType | TimestampNTZType | _: DayTimeIntervalType => Longs
    case FloatType                                            => Floats
    case DoubleType                                           => Doubles
    case BinaryType                                           => Binaries
    case _: StringType                                        => Strings
    case _                                                    => Converted
  }

  /** Writes the values of a column which Spark converts. */
  private trait Converter {

    /** Called only for non-null values. */
    def add(row: InternalRow): Unit
  }

  /** A column that [[FlatWriteSupport]] writes itself. */
  private object Unconverted extends Converter {
    override def add(row: InternalRow): Unit = throw new IllegalStateException(
      "Spark does not convert such a column"
    )
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
