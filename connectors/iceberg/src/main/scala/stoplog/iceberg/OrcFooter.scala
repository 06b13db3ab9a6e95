// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.ByteBuffer
import java.util.{Collections, List => JList}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.iceberg.{FileFormat, Metrics, MetricsConfig, MetricsModes, Schema}
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

  private val columns: Vector[(String, TypeDescription)] =
    root.getFieldNames.asScala.toVector.zip(root.getChildren.asScala)

  override val format: FileFormat = FileFormat.ORC

  override def schema: Schema = {
    FileFooter.converting(name, columns, (_: (String, TypeDescription))._1) { column =>
      structOf(Seq(column), Vector.empty, fresh)
      ()
    }
    new Schema(structOf(columns, Vector.empty, fresh).fields)
  }

  override def schema(mapping: NameMapping): Schema =
    new Schema(structOf(columns, Vector.empty, path => id(mapping, path)).fields)

  override def metrics(config: MetricsConfig, mapping: NameMapping): Metrics = {
    val statistics = reader.getStatistics
    val rows       = reader.getNumberOfRows
    val found      = columns.flatMap { case (field, of) =>
      id(mapping, Vector(field))
        .filter(_ => config.columnMode(field) != MetricsModes.None.get)
        .map(Column(_, typeOf(of, Vector.empty, fresh), statistics(of.getId), config.columnMode(field)))
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

  private def id(mapping: NameMapping, path: Vector[String]): Option[Integer] =
    Option(mapping.find(path.asJava)).flatMap(found => Option(found.id))
}

private[iceberg] object OrcFooter {

  def read(file: Path, configuration: Configuration): OrcFooter =
    Using.resource(OrcFile.createReader(file, OrcFile.readerOptions(configuration)))(
      new OrcFooter(file.getName, _)
    )

  /** Returns the id of a field by its path; `None` leaves the field out. */
  private type Ids = Vector[String] => Option[Integer]

  private def fresh: Ids = {
    var last = 0
    _ => { last += 1; Some(last) }
  }

  private def structOf(
      fields: Seq[(String, TypeDescription)],
      path: Vector[String],
      ids: Ids
  ): Types.StructType =
    Types.StructType.of(
      fields.flatMap { case (name, of) =>
        ids(path :+ name).map(Types.NestedField.optional(_, name, typeOf(of, path :+ name, ids)))
      }.asJava
    )

  private def typeOf(column: TypeDescription, path: Vector[String], ids: Ids): Type =
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
        Types.ListType.ofOptional(idOf(element, ids), typeOf(column.getChildren.get(0), element, ids))
      case Category.MAP =>
        val (key, value) = (path :+ "key", path :+ "value")
        Types.MapType.ofOptional(
          idOf(key, ids),
          idOf(value, ids),
          typeOf(column.getChildren.get(0), key, ids),
          typeOf(column.getChildren.get(1), value, ids)
        )
      case Category.STRUCT =>
        structOf(column.getFieldNames.asScala.toSeq.zip(column.getChildren.asScala), path, ids)
      case Category.TIMESTAMP | Category.TIMESTAMP_INSTANT =>
        throw new UnsupportedOperationException(
          "ORC files of Spark have timestamps in the time zone of the writer; use Parquet"
        )
      case other => throw new UnsupportedOperationException(s"$other")
    }

  private def idOf(path: Vector[String], ids: Ids): Integer =
    ids(path).getOrElse(
      throw new Refusal(s"the name mapping of the table lacks ${path.mkString(".")}. Add the name")
    )

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
