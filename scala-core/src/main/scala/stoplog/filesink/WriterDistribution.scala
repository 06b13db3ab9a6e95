// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types._

import stoplog.bucket.{Bucketing, ColumnBucketAssigner}
import stoplog.engine.RowDistribution
import stoplog.error.Errors
import stoplog.options.{BucketOptions, Distribution, SinkOptions}

/** The distribution of rows to writers. */
private[stoplog] object WriterDistribution {

  /** Returns `None` to keep rows in place. Error: `STOPLOG_UNSUPPORTED`. */
  def of(options: SinkOptions, schema: StructType): Option[RowDistribution] =
    options.parts.distribution match {
      case Distribution.Unspecified    => None
      case Distribution.Writers(count) => Some(RowDistribution(spread(schema), Some(count)))
      case Distribution.ByBucket       =>
        val columns = bucketColumns(options.buckets.bucketing, schema)
        // Sorted by bucket, so that a task needs few open parts at a time.
        Some(RowDistribution(columns, tasks = None, ordering = columns))
    }

  private def bucketColumns(bucketing: Bucketing, schema: StructType): Seq[String] = bucketing match {
    case Bucketing.PartitionColumns(names, _) => names
    case Bucketing.Expression(sql)            => Seq(plainColumn(sql, schema))
    case Bucketing.FromColumn(name)           =>
      Seq(schema.fieldNames(ColumnBucketAssigner.ordinal(schema, name)))
    case other =>
      throw Errors.distributionUnsupported(
        "byBucket needs buckets that are columns (partitionBy, bucketFrom, or bucketBy with one column), " +
          s"and the buckets are ${BucketOptions.toMap(other).mkString(", ")}"
      )
  }

  private def plainColumn(sql: String, schema: StructType): String =
    Try(CatalystSqlParser.parseMultipartIdentifier(sql)).toOption
      .collect { case Seq(name) => name }
      .filter(name => schema.fieldNames.exists(_.equalsIgnoreCase(name)))
      .getOrElse(
        throw Errors.distributionUnsupported(
          s"byBucket needs a plain column, and bucketBy is the expression $sql"
        )
      )

  /** Returns all hashable columns. Equal rows are sent to the same writer, other rows to any writer. */
  private def spread(schema: StructType): Seq[String] = {
    val hashable = schema.filter(field => isHashable(field.dataType))
    if (hashable.isEmpty) throw Errors.distributionUnsupported("no column of the rows can be hashed")
    hashable.map(_.name)
  }

  private def isHashable(dataType: DataType): Boolean = dataType match {
    case _: MapType         => false
    case array: ArrayType   => isHashable(array.elementType)
    case struct: StructType => struct.forall(field => isHashable(field.dataType))
    case other              => other.typeName != "variant"
  }

  /** Handles `DataFrameWriter.partitionBy` of a batch write as the option `partitionBy`.
    *
    * `DataStreamWriter.partitionBy` has no effect: Spark silently ignores this setting for such sinks.
    */
  object BatchPartitioning {

    def merged(options: SinkOptions, partitioned: Array[Transform]): SinkOptions =
      if (partitioned.isEmpty) options
      else
        SinkOptions.parse(
          options.toMap ++ BucketOptions.toMap(Bucketing.PartitionColumns(columns(partitioned)))
        )

    /** Error: `STOPLOG_OPTION_COLUMN`. */
    def columns(partitioned: Array[Transform]): Seq[String] = partitioned.map(column).toSeq

    private def column(transform: Transform): String =
      (transform.name(), transform.references().map(_.fieldNames())) match {
        case ("identity", Array(Array(name))) => name
        case _ => throw Errors.partitionColumns(s"${transform.describe} is not a top-level column")
      }
  }
}
