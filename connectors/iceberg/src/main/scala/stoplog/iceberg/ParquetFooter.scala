// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.ByteBuffer
import java.util.{Collections, List => JList, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{FileFormat, Metrics, MetricsConfig}
import org.apache.iceberg.hadoop.{HadoopInputFile => IcebergInputFile}
import org.apache.iceberg.mapping.NameMapping
import org.apache.iceberg.parquet.ParquetUtil
import org.apache.iceberg.types.{Type, Types}
import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.schema.{LogicalTypeAnnotation, PrimitiveType, Type => ParquetType}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

import stoplog.announce.table.ParquetGroups._

/** The footer of a Parquet file.
  *
  * Iceberg's runtime for Spark contains another copy of Parquet with other class names. Therefore this class
  * passes no class of Parquet to Iceberg, and a session may have the runtime too.
  */
private[iceberg] final class ParquetFooter(file: Path, configuration: Configuration, footer: ParquetMetadata)
    extends FileFooter {
  import ParquetFooter._

  private val root = footer.getFileMetaData.getSchema

  override def format: FileFormat = FileFormat.PARQUET

  override def metrics(config: MetricsConfig, mapping: NameMapping): Metrics =
    try
      proven(
        ParquetUtil.fileMetrics(IcebergInputFile.fromPath(file, configuration), config, mapping),
        mapping
      )
    catch { case _: NoSuchMethodError | _: NoClassDefFoundError => withoutBounds }

  /** Removes bounds that some row groups do not have, as with NaN. Iceberg ignores such row groups, and the
    * bounds of the others prove nothing.
    */
  private def proven(of: Metrics, mapping: NameMapping): Metrics = {
    val unbounded = footer.getBlocks.asScala
      .flatMap(_.getColumns.asScala.filterNot(isBounded))
      .flatMap(column => idAt(column.getPath.toArray.toVector, mapping))
      .toSet
    def bounded(bounds: JMap[Integer, ByteBuffer]) =
      Option(bounds).map(_.asScala.view.filterKeys(!unbounded(_)).toMap.asJava).orNull
    if (unbounded.isEmpty) of
    else
      new Metrics(
        of.recordCount,
        of.columnSizes,
        of.valueCounts,
        of.nullValueCounts,
        of.nanValueCounts,
        bounded(of.lowerBounds),
        bounded(of.upperBounds)
      )
  }

  private def idAt(path: Vector[String], mapping: NameMapping): Option[Integer] =
    if (hasIds) ParquetFooter.idOf(root.getType(path: _*))
    else Option(mapping.find(path: _*)).flatMap(found => Option(found.id))

  /** Iceberg needs a newer Parquet than Spark 4.0 has, for the statistics of a file with nested columns. */
  private def withoutBounds: Metrics = {
    val counts = Collections.emptyMap[Integer, java.lang.Long]()
    val bounds = Collections.emptyMap[Integer, ByteBuffer]()
    val rows   = footer.getBlocks.asScala.map(_.getRowCount).sum
    new Metrics(rows, counts, counts, counts, counts, bounds, bounds)
  }

  override def splitOffsets: JList[java.lang.Long] =
    footer.getBlocks.asScala.map(block => Long.box(block.getStartingPos)).sorted.asJava

  override def hasIds: Boolean = fieldsOf(root).exists(idOf(_).isDefined)

  override protected def columns(ids: FileFooter.Ids): Types.StructType = Types.StructType.of(
    fieldsOf(root).flatMap { column =>
      FileFooter.naming(file.getName, column.getName)(fieldOf(column, Vector.empty, ids))
    }.asJava
  )
}

private[iceberg] object ParquetFooter {

  def read(file: Path, configuration: Configuration): ParquetFooter =
    Using.resource(ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))) { reader =>
      new ParquetFooter(file, configuration, reader.getFooter)
    }

  /** Whether the bounds of a row group cover all values. */
  private def isBounded(column: ColumnChunkMetaData): Boolean = {
    val statistics: Statistics[_] = column.getStatistics
    statistics.hasNonNullValue || statistics.isNumNullsSet && statistics.getNumNulls == column.getValueCount
  }

  private def idOf(column: ParquetType): Option[Integer] =
    Option(column.getId).map(id => Integer.valueOf(id.intValue))

  private def fieldOf(
      column: ParquetType,
      above: Vector[String],
      ids: FileFooter.Ids
  ): Option[Types.NestedField] = {
    val path = above :+ column.getName
    ids(path, idOf(column)).map(Types.NestedField.optional(_, column.getName, typeOf(column, path, ids)))
  }

  private def typeOf(column: ParquetType, path: Vector[String], ids: FileFooter.Ids): Type =
    if (column.isPrimitive) primitive(column.asPrimitiveType)
    else {
      val group = column.asGroupType
      group.getLogicalTypeAnnotation match {
        case null =>
          Types.StructType.of(fieldsOf(group).flatMap(fieldOf(_, path, ids)).asJava)
        case _: ListLogicalTypeAnnotation =>
          val (element, at) = (elementOf(group), path :+ "element")
          Types.ListType.ofOptional(FileFooter.required(at, idOf(element), ids), typeOf(element, at, ids))
        case _: MapLogicalTypeAnnotation | _: MapKeyValueTypeAnnotation =>
          val (key, value)     = entryOf(group)
          val (ofKey, ofValue) = (path :+ "key", path :+ "value")
          Types.MapType.ofOptional(
            FileFooter.required(ofKey, idOf(key), ids),
            FileFooter.required(ofValue, idOf(value), ids),
            typeOf(key, ofKey, ids),
            typeOf(value, ofValue, ids)
          )
        case other => throw new UnsupportedOperationException(other.toString)
      }
    }

  private def primitive(column: PrimitiveType): Type = column.getLogicalTypeAnnotation match {
    case null =>
      column.getPrimitiveTypeName match {
        case PrimitiveTypeName.BOOLEAN              => Types.BooleanType.get
        case PrimitiveTypeName.INT32                => Types.IntegerType.get
        case PrimitiveTypeName.INT64                => Types.LongType.get
        case PrimitiveTypeName.INT96                => Types.TimestampType.withZone
        case PrimitiveTypeName.FLOAT                => Types.FloatType.get
        case PrimitiveTypeName.DOUBLE               => Types.DoubleType.get
        case PrimitiveTypeName.BINARY               => Types.BinaryType.get
        case PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY => Types.FixedType.ofLength(column.getTypeLength)
      }
    case _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation =>
      Types.StringType.get
    case _: UUIDLogicalTypeAnnotation       => Types.UUIDType.get
    case _: DateLogicalTypeAnnotation       => Types.DateType.get
    case of: DecimalLogicalTypeAnnotation   => Types.DecimalType.of(of.getPrecision, of.getScale)
    case of: TimestampLogicalTypeAnnotation => timestamp(of)
    case of: IntLogicalTypeAnnotation if of.getBitWidth < 64 || of.isSigned =>
      val isLong = of.getBitWidth == 64 || of.getBitWidth == 32 && !of.isSigned
      if (isLong) Types.LongType.get else Types.IntegerType.get
    case other => throw new UnsupportedOperationException(other.toString)
  }

  private def timestamp(of: TimestampLogicalTypeAnnotation): Type = of.getUnit match {
    case LogicalTypeAnnotation.TimeUnit.NANOS =>
      if (of.isAdjustedToUTC) Types.TimestampNanoType.withZone else Types.TimestampNanoType.withoutZone
    case LogicalTypeAnnotation.TimeUnit.MICROS =>
      if (of.isAdjustedToUTC) Types.TimestampType.withZone else Types.TimestampType.withoutZone
    // Iceberg would take the statistics for microseconds.
    case LogicalTypeAnnotation.TimeUnit.MILLIS =>
      throw new UnsupportedOperationException(
        "the timestamps have milliseconds; set spark.sql.parquet.outputTimestampType to TIMESTAMP_MICROS"
      )
  }
}
