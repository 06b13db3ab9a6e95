// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.io.IOException
import java.nio.ByteBuffer
import java.util.{Collections, List => JList}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{FileFormat, Metrics, MetricsConfig, MetricsModes}
import org.apache.iceberg.mapping.NameMapping
import org.apache.iceberg.expressions.Literal
import org.apache.iceberg.types.{Conversions, Type, Types}
import org.apache.iceberg.util.UnicodeUtil
import org.apache.orc.TypeDescription.Category
import org.apache.orc.{
  ColumnStatistics, DateColumnStatistics, DecimalColumnStatistics, DoubleColumnStatistics,
  IntegerColumnStatistics, OrcFile, Reader, StringColumnStatistics, TypeDescription
}

/** The footer of an ORC file.
  *
  * Iceberg's module for ORC needs another build of ORC than the build in Spark. Both have the same class
  * names. This class needs only Spark's. It has bounds for columns at the top level, except binary columns.
  */
private[iceberg] final class OrcFooter(name: String, reader: Reader) extends FileFooter {
  import OrcFooter._

  private val root = reader.getSchema

  private val fields: Vector[(String, TypeDescription)] =
    root.getFieldNames.asScala.toVector.zip(root.getChildren.asScala)

  override val format: FileFormat = FileFormat.ORC

  override def metrics(config: MetricsConfig, mapping: NameMapping): Metrics = {
    val statistics = reader.getStatistics
    val rows       = reader.getNumberOfRows
    val byName     = schema(mapping).columns.asScala.map(column => column.name -> column).toMap
    val found      = fields.flatMap { case (field, of) =>
      val mode = config.columnMode(field)
      byName.get(field).filter(_ => mode != MetricsModes.None.get).map { column =>
        Column(column.fieldId, column.`type`, statistics(of.getId), mode)
      }
    }
    val flat    = found.filter(_.dataType.isPrimitiveType)
    val bounded =
      flat.filter(_.mode != MetricsModes.Counts.get).flatMap(column => column.bounds.map(column.id -> _))
    new Metrics(
      rows,
      found.map(column => column.id -> Long.box(column.statistics.getBytesOnDisk)).toMap.asJava,
      flat.map(column => column.id -> Long.box(rows)).toMap.asJava,
      flat.map(column => column.id -> Long.box(rows - column.statistics.getNumberOfValues)).toMap.asJava,
      Collections.emptyMap[Integer, java.lang.Long](),
      bounded.map { case (id, bounds) => id -> bounds._1 }.toMap.asJava,
      bounded.flatMap { case (id, bounds) => bounds._2.map(id -> _) }.toMap.asJava
    )
  }

  override def splitOffsets: JList[java.lang.Long] =
    reader.getStripes.asScala.map(stripe => Long.box(stripe.getOffset)).asJava

  override def hasIds: Boolean = false

  override protected def columns(ids: FileFooter.Ids): Types.StructType = Types.StructType.of(
    fields.flatMap { case (field, of) =>
      FileFooter.naming(name, field)(fieldOf(field, of, Vector.empty, ids))
    }.asJava
  )
}

private[iceberg] object OrcFooter {

  /** ORC's reader accepts a file without bytes, as Hive writes such files. Parquet's reader does not. */
  def read(file: Path, configuration: Configuration): OrcFooter = {
    val bytes = file.getFileSystem(configuration).getFileStatus(file).getLen
    if (bytes == 0) throw new IOException("the file has no bytes")
    val options = OrcFile.readerOptions(configuration).maxLength(bytes)
    Using.resource(OrcFile.createReader(file, options))(new OrcFooter(file.getName, _))
  }

  private def fieldOf(
      name: String,
      of: TypeDescription,
      above: Vector[String],
      ids: FileFooter.Ids
  ): Option[Types.NestedField] = {
    val path = above :+ name
    ids(path, None).map(Types.NestedField.optional(_, name, typeOf(of, path, ids)))
  }

  private def typeOf(column: TypeDescription, path: Vector[String], ids: FileFooter.Ids): Type =
    column.getCategory match {
      case Category.BOOLEAN                                   => Types.BooleanType.get
      case Category.BYTE | Category.SHORT | Category.INT      => Types.IntegerType.get
      case Category.LONG                                      => Types.LongType.get
      case Category.FLOAT                                     => Types.FloatType.get
      case Category.DOUBLE                                    => Types.DoubleType.get
      case Category.STRING | Category.VARCHAR | Category.CHAR => Types.StringType.get
      case Category.BINARY                                    => Types.BinaryType.get
      case Category.DATE                                      => Types.DateType.get
      case Category.DECIMAL => Types.DecimalType.of(column.getPrecision, column.getScale)
      case Category.LIST    =>
        val element = path :+ "element"
        Types.ListType.ofOptional(
          FileFooter.required(element, None, ids),
          typeOf(column.getChildren.get(0), element, ids)
        )
      case Category.MAP =>
        val (key, value) = (path :+ "key", path :+ "value")
        Types.MapType.ofOptional(
          FileFooter.required(key, None, ids),
          FileFooter.required(value, None, ids),
          typeOf(column.getChildren.get(0), key, ids),
          typeOf(column.getChildren.get(1), value, ids)
        )
      case Category.STRUCT =>
        val nested = column.getFieldNames.asScala.zip(column.getChildren.asScala)
        Types.StructType.of(nested.flatMap { case (name, of) => fieldOf(name, of, path, ids) }.asJava)
      case Category.TIMESTAMP | Category.TIMESTAMP_INSTANT =>
        throw new UnsupportedOperationException(
          "ORC files of Spark have timestamps in the time zone of the writer; use Parquet"
        )
      case other => throw new UnsupportedOperationException(s"$other")
    }

  private final case class Column(
      id: Integer,
      dataType: Type,
      statistics: ColumnStatistics,
      mode: MetricsModes.MetricsMode
  ) {

    /** The lower bound and, if there is one, the upper bound. */
    def bounds: Option[(ByteBuffer, Option[ByteBuffer])] = statistics match {
      case _ if statistics.getNumberOfValues == 0 => None
      case of: IntegerColumnStatistics            =>
        def value(long: Long): Any =
          if (dataType.typeId == Type.TypeID.LONG) Long.box(long) else Int.box(long.toInt)
        Some(pair(value(of.getMinimum), value(of.getMaximum)))
      case of: DateColumnStatistics =>
        Some(pair(Int.box(of.getMinimumDayOfEpoch.toInt), Int.box(of.getMaximumDayOfEpoch.toInt)))
      case of: DoubleColumnStatistics if isOrdered(of) =>
        if (dataType.typeId == Type.TypeID.DOUBLE)
          Some(pair(Double.box(of.getMinimum), Double.box(of.getMaximum)))
        else Some(pair(Float.box(of.getMinimum.toFloat), Float.box(of.getMaximum.toFloat)))
      case of: DecimalColumnStatistics =>
        val scale                  = dataType.asInstanceOf[Types.DecimalType].scale
        def value(of: String): Any = new java.math.BigDecimal(of).setScale(scale)
        Some(pair(value(of.getMinimum.toString), value(of.getMaximum.toString)))
      case of: StringColumnStatistics => Some(ofStrings(of))
      case _                          => None
    }

    /** The bounds of ORC are not valid if a value is NaN, which the sum shows. */
    private def isOrdered(of: DoubleColumnStatistics): Boolean = !of.getSum.isNaN && !of.getMinimum.isNaN

    private def ofStrings(of: StringColumnStatistics): (ByteBuffer, Option[ByteBuffer]) = {
      val (lower, upper) =
        (Literal.of(of.getLowerBound: CharSequence), Literal.of(of.getUpperBound: CharSequence))
      mode match {
        case cut: MetricsModes.Truncate =>
          bytes(UnicodeUtil.truncateStringMin(lower, cut.length).value) ->
            Option(UnicodeUtil.truncateStringMax(upper, cut.length)).map(found => bytes(found.value))
        case _ => bytes(lower.value) -> Some(bytes(upper.value))
      }
    }

    private def pair(lower: Any, upper: Any) = bytes(lower) -> Some(bytes(upper))

    private def bytes(value: Any): ByteBuffer = Conversions.toByteBuffer(dataType, value)
  }
}
