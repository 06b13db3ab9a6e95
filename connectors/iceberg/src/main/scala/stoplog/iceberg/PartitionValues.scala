// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.math.{BigDecimal, RoundingMode}
import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Metrics, PartitionData, PartitionField, PartitionSpec, Schema, StructLike}
import org.apache.iceberg.transforms.Transform
import org.apache.iceberg.types.{Conversions, Type, Types}
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.announce.table.{DirectoryKeys, Refusal}

/** The partition of a file.
  *
  * A column that is only in the directories has the value of the directory. All other values are computed
  * from the bounds of the columns: the bounds prove that all rows of the file are in one partition, in
  * Iceberg's definition.
  *
  * @param derivedKeys keys of directories that need no column
  */
private[iceberg] final class PartitionValues(spec: PartitionSpec, derivedKeys: Set[String]) {

  /** Throws [[Refusal]] if the file is not in exactly one partition, or if readers would lose a value of a
    * directory.
    *
    * @param columns of the file, with the ids of the table
    * @param metrics of the file, with whole bounds
    */
  def of(bucket: String, file: String, columns: Schema, metrics: Metrics): StructLike = {
    val keys   = DirectoryKeys.of(bucket)
    val values = new PartitionData(spec.partitionType)
    val used   = spec.fields.asScala.toVector.zipWithIndex.flatMap { case (field, i) =>
      val source = spec.schema.findField(field.sourceId)
      keys
        .get(source.name)
        .filter(_ => field.transform.isIdentity && columns.findField(source.fieldId) == null) match {
        case Some(text) =>
          values.set(i, directoryValue(source, text, bucket))
          Some(source.name)
        case None =>
          if (!field.transform.isVoid) values.set(i, boundValue(field, source, file, metrics))
          None
      }
    }
    val known = used.toSet ++ derivedKeys ++ columns.columns.asScala.map(_.name)
    DirectoryKeys.refuseLost(keys, known, bucket)
    values
  }

  private def directoryValue(column: Types.NestedField, text: String, bucket: String): Any =
    if (text == ExternalCatalogUtils.DEFAULT_PARTITION_NAME) null
    else
      try
        exact(
          column.`type`,
          Conversions.fromPartitionString(column.`type`, ExternalCatalogUtils.unescapePathName(text))
        )
      catch {
        case e @ (_: IllegalArgumentException | _: UnsupportedOperationException | _: ArithmeticException |
            _: java.time.DateTimeException) =>
          throw new Refusal(
            s"the directory $bucket has no ${column.`type`} for the column ${column.name} (${e.getMessage}). Correct the type " +
              "of the column"
          )
      }

  /** Iceberg writes a decimal only in the scale and within the precision of the column. */
  private def exact(of: Type, value: Any): Any = (of, value) match {
    case (of: Types.DecimalType, number: BigDecimal) =>
      val scaled = number.setScale(of.scale, RoundingMode.UNNECESSARY)
      if (scaled.precision > of.precision) throw new ArithmeticException(s"$number has too many digits")
      scaled
    case _ => value
  }

  private def boundValue(
      field: PartitionField,
      source: Types.NestedField,
      file: String,
      metrics: Metrics
  ): Any = {
    val id                   = Integer.valueOf(source.fieldId)
    def refusal(why: String) = new Refusal(
      s"the file $file is not in one partition of ${field.transform}(${source.name}): $why. Let the sink write the same " +
        "partitions as the table: partitionBy, or time buckets in UTC"
    )
    def count(of: java.util.Map[Integer, java.lang.Long]) =
      Option(of).flatMap(counts => Option(counts.get(id)))
    def bound(of: java.util.Map[Integer, ByteBuffer]) = Option(of).flatMap(bounds => Option(bounds.get(id)))
    val nulls                                         = count(metrics.nullValueCounts).fold(0L)(_.longValue)
    if (count(metrics.valueCounts).exists(_.longValue == nulls)) null
    else if (nulls > 0) throw refusal("the column has nulls and other values")
    else
      (bound(metrics.lowerBounds), bound(metrics.upperBounds)) match {
        case (Some(lower), Some(upper)) if !field.transform.preservesOrder && lower != upper =>
          throw refusal(
            "the column has several values, and values between the bounds may be in other partitions"
          )
        case (Some(lower), Some(upper)) =>
          val (first, last) =
            (transformed(field, source.`type`, lower), transformed(field, source.`type`, upper))
          if (first != last) throw refusal(s"the rows are in the partitions $first to $last")
          first
        case _ =>
          throw refusal(
            "the footer has no bounds of the column, as for timestamps of Parquet's INT96: set " +
              "spark.sql.parquet.outputTimestampType to TIMESTAMP_MICROS"
          )
      }
  }

  private def transformed(field: PartitionField, source: Type, bound: ByteBuffer): Any = {
    val value: Any = Conversions.fromByteBuffer[Any](source, bound) match {
      case text: CharSequence => text.toString
      case other              => other
    }
    field.transform.asInstanceOf[Transform[Any, Any]].bind(source).apply(value)
  }
}
