// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.delta.kernel.expressions.Column
import io.delta.kernel.types._
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Type => ParquetType}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import stoplog.announce.table.ParquetGroups._
import stoplog.announce.table.Refusal

/** The footer of a Parquet file. Reads no rows. */
private[delta] final class ParquetFooter(val file: FileStatus, footer: ParquetMetadata) {
  import ParquetFooter._

  def name: String = file.getPath.getName

  def rows: Long = footer.getBlocks.asScala.map(_.getRowCount).sum

  /** The columns, all optional: a later file may have nulls. Throws [[Refusal]] if Delta lacks a type. */
  lazy val columns: StructType = new StructType(fieldsOf(footer.getFileMetaData.getSchema).map { column =>
    try field(column)
    catch {
      case e: UnsupportedOperationException =>
        throw new Refusal(
          s"Delta has no type for the column ${column.getName} of the file $name (${e.getMessage}). Cast or drop the column"
        )
    }
  }.asJava)

  /** The statistics of a column, if all row groups have statistics. */
  def statistics(column: Column): Option[ColumnStatistics] = {
    val path   = column.getNames.toVector
    val chunks = footer.getBlocks.asScala.toVector.flatMap(
      _.getColumns.asScala.find(_.getPath.toArray.toVector == path).map(_.getStatistics)
    )
    val isWhole =
      chunks.size == footer.getBlocks.size && chunks.forall(each => each != null && each.isNumNullsSet)
    Option.when(chunks.nonEmpty && isWhole)(ColumnStatistics.of(chunks, rows))
  }
}

private[delta] object ParquetFooter {

  /** Throws `FileNotFoundException` if the file does not exist, and [[Refusal]] for other formats. */
  def read(file: Path, configuration: Configuration): ParquetFooter = {
    if (!file.getName.endsWith(".parquet"))
      throw new Refusal(
        s"a Delta table has Parquet files, and ${file.getName} is not Parquet. Set format to parquet"
      )
    val status = file.getFileSystem(configuration).getFileStatus(file)
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromStatus(status, configuration))) { reader =>
      new ParquetFooter(status, reader.getFooter)
    }
  }

  private def field(column: ParquetType): StructField = new StructField(column.getName, typeOf(column), true)

  private def typeOf(column: ParquetType): DataType =
    if (column.isPrimitive) primitive(column.asPrimitiveType)
    else {
      val group = column.asGroupType
      group.getLogicalTypeAnnotation match {
        case null                         => new StructType(fieldsOf(group).map(field).asJava)
        case _: ListLogicalTypeAnnotation => new ArrayType(typeOf(elementOf(group)), true)
        case _: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation =>
          val (key, value) = entryOf(group)
          new MapType(typeOf(key), typeOf(value), true)
        case other => throw new UnsupportedOperationException(other.toString)
      }
    }

  private def primitive(column: PrimitiveType): DataType = column.getLogicalTypeAnnotation match {
    case null => plain(column)
    case _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation =>
      StringType.STRING
    case _: DateLogicalTypeAnnotation     => DateType.DATE
    case of: DecimalLogicalTypeAnnotation => new DecimalType(of.getPrecision, of.getScale)
    case of: TimestampLogicalTypeAnnotation if of.getUnit != LogicalTypeAnnotation.TimeUnit.NANOS =>
      if (of.isAdjustedToUTC) TimestampType.TIMESTAMP else TimestampNTZType.TIMESTAMP_NTZ
    case of: IntLogicalTypeAnnotation if of.isSigned =>
      of.getBitWidth match {
        case 8  => ByteType.BYTE
        case 16 => ShortType.SHORT
        case 32 => IntegerType.INTEGER
        case _  => LongType.LONG
      }
    case other => throw new UnsupportedOperationException(other.toString)
  }

  private def plain(column: PrimitiveType): DataType = column.getPrimitiveTypeName match {
    case PrimitiveTypeName.BOOLEAN => BooleanType.BOOLEAN
    case PrimitiveTypeName.INT32   => IntegerType.INTEGER
    case PrimitiveTypeName.INT64   => LongType.LONG
    case PrimitiveTypeName.INT96   => TimestampType.TIMESTAMP
    case PrimitiveTypeName.FLOAT   => FloatType.FLOAT
    case PrimitiveTypeName.DOUBLE  => DoubleType.DOUBLE
    case PrimitiveTypeName.BINARY  => BinaryType.BINARY
    case other                     => throw new UnsupportedOperationException(other.toString)
  }
}
