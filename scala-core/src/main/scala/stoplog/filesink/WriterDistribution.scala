// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import scala.util.Try

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types._

import stoplog.bucket.Bucketing
import stoplog.engine.RowDistribution
import stoplog.error.Errors
import stoplog.options.{BucketOptions, Distribution, SinkOptions}

/** The distribution of rows to writers. */
private[stoplog] object WriterDistribution {

  /** `None` to leave the rows where they are. Error: `STOPLOG_DISTRIBUTION_UNSUPPORTED`. */
  def of(options: SinkOptions, schema: StructType): Option[RowDistribution] =
    options.parts.distribution match {
      case Distribution.Unspecified    => None
      case Distribution.Writers(count) => Some(RowDistribution(spread(schema), Some(count)))
      case Distribution.ByBucket       =>
        val columns = bucketColumns(options.buckets.bucketing, schema)
        // In the order of their buckets, so that a task needs few parts at a time.
        Some(RowDistribution(columns, tasks = None, ordering = columns))
    }

  private def bucketColumns(bucketing: Bucketing, schema: StructType): Seq[String] = bucketing match {
    case Bucketing.PartitionColumns(names, _) => names
    case Bucketing.Expression(sql)            => Seq(plainColumn(sql, schema))
    case other                                =>
      throw Errors.distributionUnsupported(
        s"byBucket needs buckets that are columns (partitionBy, or bucketBy with one column), and here they are ${BucketOptions.toMap(other).mkString(", ")}"
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

  /** Every column that can be hashed; equal rows go to the same writer, others anywhere. */
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

  /** `DataFrameWriter.partitionBy` of a batch write means the option of that name.
    *
    * `DataStreamWriter.partitionBy` never arrives here: Spark drops it for such sinks, without a word.
    */
  object BatchPartitioning {

    def merged(options: SinkOptions, partitioned: Array[Transform]): SinkOptions =
      if (partitioned.isEmpty) options
      else
        SinkOptions.parse(
          options.toMap ++ BucketOptions.toMap(Bucketing.PartitionColumns(columns(partitioned)))
        )

    /** Error: `STOPLOG_PARTITION_COLUMNS`. */
    def columns(partitioned: Array[Transform]): Seq[String] = partitioned.map(column).toSeq

    private def column(transform: Transform): String =
      (transform.name(), transform.references().map(_.fieldNames())) match {
        case ("identity", Array(Array(name))) => name
        case _ => throw Errors.partitionColumns(s"${transform.describe} is not a top-level column")
      }
  }
}
